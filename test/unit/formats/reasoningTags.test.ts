// Plain answers that speak of reasoning tags, or hold sections that a prompt asked for, come back as they were written.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { parse } from "yaml";
import type { ReasoningRow } from "../../../src/formats/specs/chatTemplates.ts";
import { FRAMING_MARKS, REASONING } from "../../../src/formats/specs/lookupTables.ts";
import { chunksOf, standardChunkings } from "../../support/chunkings.ts";
import { corpusReader } from "../../support/corpus.ts";
import { type Circumstances, countedParser, meaningOf, runParser } from "../../support/parserRuns.ts";
import { runsOf } from "../../support/sample.ts";

const SEPARATE = [
  "R1 opens with <think> and then reasons; <think>…</think> is what a client should hide.",
  "Three models, three openers: <think>, <thought> and [THINK]. The closers are </think>, </thought> and [/THINK].",
  "| model | opens with | closes with |\n|---|---|---|\n| A | <think> | </think> |\n| B | <reasoning> | </reasoning> |",
  "The openers:\n\n- <think> of the first family\n- <thinking> of prompts\n- ◁think▷ of a third one\n\nThat is all.",
  "1. <think> comes first.\n2. <answer> comes second.",
  'pattern = r"^<think>.*?</think><answer>.*?</answer>$"\nif not re.match(pattern, text):\n    raise ValueError("no <think>")',
  '{"opener": "<think>", "closer": "</think>", "examples": ["<think>\\n\\n</think>\\n42", "[THINK]no[/THINK]"]}',
  '[{"role": "assistant", "content": "<think>\\nHm.\\n</think>\\n<answer>\\nYellow.\\n</answer>"}]',
  "Ends with the token <think>",
  "Is it <think>? Or <thinking>? Both, and </think>",
];
/** Tags on lines of their own, which models that interleave might mean. */
const ON_LINES = [
  "A template writes the role, and for this model <think> on a line:\n\n    <think>\n\nand nothing else.",
  "First I look.\n<think>\nTide.\n</think>\nThat is how a thought would stand there.",
];
const SECTIONS = [
  "<analysis>\nThe tide is late.\n</analysis>\n<answer>\nSail at nine.\n</answer>",
  "<thinking>\nThe tide is late.\n</thinking>\n\n<answer>Sail at nine.</answer>",
  "<scratchpad>tide: 9.10</scratchpad>\nSail at nine.",
  "<reasoning>The tide is late.</reasoning><final_answer>Sail at nine.</final_answer>",
  "<final_answer>Sail at nine.</final_answer>",
  "<answer>\nSail at nine.\n</answer>",
  "<reflection>\nI was wrong.\n</reflection>\nSail at ten.\n<reflection>\nNow I am right.\n</reflection>\nYes, ten.",
  "<plan>\n<thought>tide</thought>\n<thought>wind</thought>\n</plan>",
  "The tide is late.\n</analysis>\n<answer>Sail at nine.</answer>",
];

const JOINTS = [" ", " ", " ", ", ", ' "', "(", " | ", ": ", "\n- ", ' {"a": ["'];
const WORDS = ["tide", "wind", "and then", "`x`", "x < y", "reasons", '"]}', "10 > 9", "the end.", "</b>"];

/** What the shipped rows are for, as names that find them. */
const NAMES = [
  "",
  ...(
    parse(readFileSync(new URL("../../../config/models.yaml", import.meta.url), "utf8")) as {
      readonly models: readonly { readonly match: readonly string[] }[];
    }
  ).models.map(({ match }) => (match[0] ?? "").replaceAll("*", "-x")),
];

const reader = corpusReader();

/** Openers of thoughts as they stand in a text: tags in angle brackets, other marks as they are. */
const OPENERS = [
  ...REASONING.flatMap(({ open, word = "" }) =>
    open.map((mark) => (/^[[◁]|:$/u.test(mark) ? mark : `<${mark}>`) + word),
  ),
  "<seed:think>",
  "<think>\n",
  "<think></think>",
  "<|channel|>analysis<|message|>",
];

/** The circumstances of a turn whose prompt has opened nothing. */
function asked(model: string, mode: "native" | "text", tools: string | readonly unknown[] = "orchard"): Circumstances {
  const expected = { content: null, reasoning: null, calls: [] };
  return reader({ id: "", note: "", text: "", tools, tool_mode: mode, model, generation_prompt: "", expected });
}

const REQUESTS = (["native", "text"] as const).flatMap((mode) => [asked("", mode), asked("", mode, [])]);

/** The answers whose content is not the text itself, whole or character by character. */
function changed(texts: readonly string[], requests: readonly Circumstances[]): readonly unknown[] {
  const read = (text: string, size: number, request: Circumstances) =>
    meaningOf(runParser(chunksOf(text, size), request));
  return requests.flatMap((request) =>
    texts.flatMap((text) =>
      [text.length, 1]
        .map((size) => ({ mode: request.setting.toolMode, text, ...read(text, size, request) }))
        .filter(({ content, reasoning, issues }) => content !== text || reasoning !== null || issues.length > 0),
    ),
  );
}

function ownRows({ setting }: Circumstances): readonly ReasoningRow[] {
  const own = REASONING.find(({ id }) => id === setting.reasoning?.marks);
  return own ? REASONING.filter((row) => row === own || own.also?.includes(row.id)) : [];
}

function marksOf(row: ReasoningRow): readonly string[] {
  return [...row.open, ...row.close]
    .filter((mark) => !FRAMING_MARKS.has(mark))
    .map((mark) => {
      if (mark.startsWith("xtml:")) return mark.replace(/^xtml:(\/?)(.*)$/, (_, slash, name) => spelled(slash, name));
      return /^[/|\w]+$/.test(mark) ? `<${mark}>` : mark;
    });
}

function spelled(slash: string, name: string): string {
  return `<|${slash === "" ? "open" : "close"}|>${name}<|sep|>`;
}

describe("a plain answer about reasoning tags", () => {
  it("comes back verbatim: prose, tables, lists, code, JSON", () => {
    expect(changed([...SEPARATE, ...ON_LINES], REQUESTS)).toEqual([]);
  });

  it("comes back verbatim from models that think, if a sentence only speaks of the tag", () => {
    const models = ["qwen3-8b", "deepseek-r1", "kimi-k2-thinking", "minimax-m2", "glm-4.6", "magistral-small-2509"];
    expect(
      changed(
        SEPARATE,
        models.map((model) => asked(model, "native")),
      ),
    ).toEqual([]);
  });

  it("keeps the sections that a prompt asked for", () => {
    expect(changed(SECTIONS, REQUESTS)).toEqual([]);
  });

  it("keeps the sections of a model that thinks in other tags", () => {
    expect(changed(SECTIONS, [asked("qwen3-8b", "native"), asked("magistral-small-2509", "text")])).toEqual([]);
  });

  it.each(REASONING.map((row) => [row.id, row] as const))(
    "keeps each mark of %s within a sentence, whoever else the model is",
    (_, row) => {
      const others = NAMES.map((name) => asked(name, "native")).filter(({ setting }) => {
        const own = REASONING.find(({ id }) => id === setting.reasoning?.marks);
        return own !== row && own?.also?.includes(row.id) !== true;
      });
      expect(others.length).toBeGreaterThan(NAMES.length / 3);
      const texts = marksOf(row).map((mark) => `In the logs ${mark} stands in a line, and ${mark} again.`);
      expect(changed(texts, others)).toEqual([]);
    },
  );

  it("comes back verbatim at every chunking, with the marks of other models anywhere between its first and last word", () => {
    const texts = fc
      .array(fc.tuple(fc.constantFrom(...JOINTS), fc.constantFrom(...WORDS, ...REASONING.flatMap(marksOf))), {
        maxLength: 12,
      })
      .map((pieces) => ["The answer", ...pieces.flat(), " as it stands."].join(""));
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom(...NAMES),
        fc.constantFrom<"native" | "text">("native", "text"),
        (text, name, mode) => {
          const request = asked(name, mode, mode === "text" ? "orchard" : []);
          const own = ownRows(request).flatMap(marksOf);
          fc.pre(!own.some((mark) => text.includes(mark)));
          const meanings = standardChunkings(text, 2).map(({ chunks }) => meaningOf(runParser(chunks, request)));
          for (const { content, reasoning } of meanings)
            expect({ content, reasoning }).toEqual({ content: text, reasoning: null });
        },
      ),
      { numRuns: runsOf(400) },
    );
  });

  it("is no reasoning where it begins with a mark of another model", () => {
    const foreign = REASONING.filter(({ everyModel }) => everyModel !== true);
    const texts = foreign.flatMap((row) => marksOf(row).map((mark) => `${mark} is the token that I mean.`));
    expect(changed(texts, REQUESTS)).toEqual([]);
  });
});

describe("reasoning at the first visible character", () => {
  const block = "<think>Tide first.</think>Sail at nine.";
  const split = { content: "Sail at nine.", reasoning: "Tide first.", issues: [] };

  it("is split off for every row, with tools and without", () => {
    for (const name of NAMES)
      for (const tools of ["orchard", []])
        expect([name, meaningOf(runParser([block], asked(name, "native", tools)))]).toMatchObject([name, split]);
  });

  it("goes to the end of the text where it is never closed", () => {
    expect(meaningOf(runParser(["<think>Tide first."], asked("", "native", [])))).toMatchObject({
      content: null,
      reasoning: "Tide first.",
    });
  });

  it("streams as it comes: a mark that is text waits for its last character only", () => {
    const parser = countedParser(asked("", "native", []).setting);
    const shown = [..."So <think> is"].map((character) =>
      parser
        .feed(character)
        .map((event) => (event.type === "text" ? event.text : event.type))
        .join(""),
    );
    expect(shown).toEqual(["S", "o", " ", "", "", "", "", "", "", "<think>", " ", "i", "s"]);
  });

  it("keeps a lone closer within a line, and drops it alone on one with a remark", () => {
    const request = asked("", "native", []);
    const within = "The thought ends at </think>.";
    expect(meaningOf(runParser([within], request))).toMatchObject({ content: within, issues: [] });
    expect(meaningOf(runParser(["Tide.\n</think> \nSail."], request))).toMatchObject({
      content: "Tide. \nSail.",
      issues: ["stray-mark"],
    });
  });

  it("ends at a closer that is the first thing of all: the prompt had opened the block", () => {
    expect(meaningOf(runParser(["</think>Sail."], asked("", "native", [])))).toMatchObject({
      content: "Sail.",
      issues: ["stray-mark"],
    });
  });

  it("drops the first lone closer of a model that writes it, and keeps the next", () => {
    const text = "Tide.</think>Sail; the mark is </think> there.";
    expect(meaningOf(runParser([text], asked("qwen3-8b", "native")))).toMatchObject({
      content: "Tide.Sail; the mark is </think> there.",
      issues: ["stray-mark"],
    });
  });
});

describe("a text of nothing but openers of thoughts", () => {
  const TIMES = 24;

  it.each(OPENERS)("is told, whoever wrote it and however it is cut: %s", (opener) => {
    const text = opener.repeat(TIMES);
    for (const model of NAMES) {
      const circumstances = asked(model, "native");
      const whole = meaningOf(runParser([text], circumstances));
      expect([model, (whole.content ?? "") + (whole.reasoning ?? "")]).not.toEqual([model, ""]);
      const cut = meaningOf(runParser(text.match(/[\s\S]{1,7}/g) ?? [], circumstances));
      expect(cut).toEqual(whole);
    }
  });

  it("is content where no thought was begun in it", () => {
    for (const opener of ["<think>", "<seed:think>", "<think></think>", "<|channel|>analysis<|message|>"]) {
      const { content } = meaningOf(runParser([opener.repeat(TIMES)], asked("", "native")));
      expect(content).toBe(opener.repeat(TIMES));
    }
  });

  it("drops a foreign turn whose prose comes in any pieces", () => {
    const text = "<|start|>user<|channel|>analysis<|message|>The lamp is lit. ";
    const whole = runParser([text], asked("", "native"));
    for (const size of [1, 2, 9]) {
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      expect(meaningOf(runParser(pieces, asked("", "native")))).toEqual(meaningOf(whole));
    }
  });

  it("is still a mark where words follow, or only a few of them stand", () => {
    const thought = meaningOf(runParser([`${"<think>".repeat(TIMES)}Hm.</think>Nine.`], asked("", "native")));
    expect([thought.content, thought.reasoning]).toEqual(["Nine.", "Hm."]);
    const few = meaningOf(runParser(["<think><think>"], asked("", "native")));
    expect([few.content, few.reasoning]).toEqual([null, null]);
  });
});
