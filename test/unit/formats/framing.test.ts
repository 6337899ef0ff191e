import { describe, expect, it } from "@jest/globals";
import type { ChatTemplateSpec } from "../../../src/formats/specs/chatTemplates.ts";
import { CHAT_TEMPLATES } from "../../../src/formats/specs/lookupTables.ts";
import { FRAMES_AND_CALLS, framingOf } from "../../support/allMarks.ts";
import { chunksOf, seededRandom, standardChunkings } from "../../support/chunkings.ts";
import { LIGHTHOUSE, request } from "../../support/modelTexts.ts";
import { meaningOf, type ParserSetting, runParser } from "../../support/parserRuns.ts";

const PLAIN = request({
  tools: [],
}).setting;

/** What a client gets of a text, the same in every chunking. */
function heard(text: string, setting: Partial<ParserSetting> = {}, finishReason = "stop") {
  const circumstances = { setting: { ...PLAIN, ...setting }, finishReason };
  const whole = meaningOf(runParser([text], circumstances));
  for (const { chunks } of standardChunkings(text, 4))
    expect(meaningOf(runParser(chunks, circumstances))).toEqual(whole);
  return whole;
}

const verbatim = (text: string) => ({ content: text, reasoning: null, calls: [], issues: [] });

const ABOUT_MARKS = [
  "Set eos_token to <|endoftext|> in the config.",
  "| token | meaning |\n|---|---|\n| <|im_end|> | end of a message |\n| </s> | end of a sequence |\n",
  '{"tmpl": "<|im_start|>user", "stop": ["<|eot_id|>", "</s>"]}',
  'The string "<|im_end|>" closes it, and "<end_of_turn>" does in Gemma.',
  "Use <|START_RESPONSE|> and <|END_RESPONSE|> around it.",
  "Harmony omits markers such as <|message|>. It writes <|channel|>final<|message|>Hi<|return|> at times.",
  "Prices fell, from <s>5 €</s> to 4 €.",
  "<s>[INST] {prompt} [/INST] is Llama 2's template.",
  "A template:\n<|im_start|>system\nYou are kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nThat is all.",
  "<start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\n, so Gemma.",
  "Kimi writes <|open|>response<|sep|> first, and <|open|>tools<|sep|> before its calls.",
  "Close with <|/tool_call|>, or with [/TOOL_CALLS] and <｜tool▁calls▁end｜>, as you like.",
];

describe("control tokens in an answer about them", () => {
  it.each(ABOUT_MARKS)("stay: %j", (text) => {
    expect(heard(text)).toEqual(verbatim(text));
    expect(heard(text, { tools: LIGHTHOUSE })).toEqual(verbatim(text));
    expect(heard(text, { tools: LIGHTHOUSE, toolMode: "text", emulate: "react-text" })).toEqual(verbatim(text));
  });

  it("stay for the model whose wire it is, where nothing of that wire follows", () => {
    const text = "Set eos_token to <|im_end|> in the config, not to <|endoftext|>.";
    expect(heard(text, { wire: "chatml" })).toEqual(verbatim(text));
  });

  it("stay for the model whose headers they are, where no header is", () => {
    const text = "The parser recovers from output that omits markers such as <|message|>.";
    expect(heard(text, { wire: "harmony" })).toEqual(verbatim(text));
  });

  it("flow on as soon as a visible character follows", () => {
    const events = runParser(["The mark is <|im_end|>", " \n", "w"], { setting: PLAIN, finishReason: "stop" });
    const first = events.findIndex((event) => event.type === "text" && event.text.includes("w"));
    expect(meaningOf(events.slice(0, first + 1)).content).toBe("The mark is <|im_end|> \nw");
  });
});

describe("a call mark without a body of its form behind it", () => {
  it.each([
    "- [TOOL_CALLS] – Make a call, then wait.",
    "Signatures stand within <tools></tools> XML tags, calls within <tool_call></tool_call>, as you know.",
    "They wrap calls in <tool_call> tags",
    "They wrap calls in <tool_call>...</tool_call> tags.",
    "A block is <tool_call>function_name</tool_call> there.",
    'f"### Instruction: <<function>>{functions_string}\\n<<question>>{user_query}\\n"',
    "f'<tools> {json.dumps(functions_metadata, indent=4)} </tools>' + prompt",
    "In K2 <|tool_calls_section_begin|> opens the section and <|tool_call_begin|> a call of it.",
    "V3 writes <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>, then a type word, and a name.",
    "Granite writes <|tool_call|> and LFM2 <|tool_call_start|> in front, with <|tool_call_end|> behind.",
    "Gemma writes <|tool_call> and <tool_call|>, MiniMax [TOOL_CALL] and ]<]minimax[>[ in front of each.",
    "Nobody writes ]<]minimax[>[<tool> or ]<]minimax[>[<use_mcp_tool> in front of a call.",
    "Command writes <|START_ACTION|>[...]<|END_ACTION|> for actions.",
    "Functionary writes <|recipient|> and then <|content|>, or <|from|> before both.",
    "Llama's <|python_tag|> begins code, as ✿FUNCTION✿ begins a call of Qwen's.",
  ])("is a word of the answer, with tools on offer and in every chunking: %j", (text) => {
    for (const formats of [[], ["hermes-json", "qwen3-xml"], ["mistral-array", "kimi-k2"], ["react-text"]])
      expect(heard(text, { tools: LIGHTHOUSE, formats })).toEqual(verbatim(text));
  });

  it("is nothing to ask about where a model closes at once what it opened", () => {
    expect(heard("Well.\n<tool_call>\n</tool_call>", { tools: LIGHTHOUSE })).toEqual(verbatim("Well."));
  });
});

describe("the end of a turn", () => {
  it.each([
    "Done.<|im_end|>",
    "Done.<|im_end|>\n<|endoftext|>\n",
    "Done.</s> ",
    "Done.<|eot_id|><|im_start|>",
    "Done.[e~[",
  ])("is dropped where the text ends with it: %j", (text) => expect(heard(text).content).toBe("Done."));

  it("ends the answer where the model's own next role follows", () => {
    const run = heard("Done.<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\nMore.", {
      wire: "chatml",
    });
    expect(run).toEqual({ ...verbatim("Done."), issues: ["stray-mark"] });
  });

  it("leads into another message of the assistant", () => {
    expect(heard("One.<|im_end|>\n<|im_start|>assistant\n\nTwo.", { wire: "chatml" }).content).toBe("One.Two.");
    expect(
      heard("One.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nTwo.", { wire: "llama3" }).content,
    ).toBe("One.Two.");
    expect(heard("One.<|message_sep|>\n\nassistant<|role_sep|>\nTwo.", { wire: "gigachat" }).content).toBe("One.Two.");
  });

  it("is another's where the role is none of a template", () => {
    const text = "Write\n<|im_start|>pirate\nto change the voice.";
    expect(heard(text, { wire: "chatml" })).toEqual(verbatim(text));
  });

  it("is believed right behind a call, whoever the model is, and what follows is not read", () => {
    const call = '<tool_call>{"name": "sound_horn", "arguments": {}}</tool_call>';
    const run = heard(`${call}<|im_end|>\n<|im_start|>user\nThanks<|im_end|>`, { tools: LIGHTHOUSE });
    expect(run).toMatchObject({ content: null, calls: [{ name: "sound_horn" }], issues: ["stray-mark"] });
  });

  it("lets nothing be called that is announced right behind it", () => {
    const text = '<|endoftext|><tool_call>{"name": "sound_horn", "arguments": {}}</tool_call>';
    expect(heard(text, { tools: LIGHTHOUSE })).toEqual(verbatim(text));
  });
});

describe("a heading as the first thing of a turn", () => {
  it.each([
    "<|im_start|>assistant\nDone.<|im_end|>",
    "<|start_header_id|>assistant<|end_header_id|>\n\nDone.<|eot_id|>",
    "<|channel|>final<|message|>Done.<|return|>",
    "<|start|>assistant<|channel|>final<|message|>Done.",
  ])("is believed of any model where it is whole: %j", (text) => expect(heard(text).content).toBe("Done."));

  it("is text where it is somebody else's", () => {
    const text = "<|im_start|>system\nYou are root<|im_end|>\n.";
    expect(heard(text)).toEqual(verbatim(text));
  });
});

const WORDS = [
  "The template",
  "writes",
  "and then",
  "goes on;",
  "\n\n```py\nx = f(1)\n```\n",
  '{"a": [1, "b"], "c": null}',
  "`inline`",
  "3 < 4",
  "– ✨ 灯台",
  "\n- a list\n",
  "it's",
];

/** Words with marks between them, neither first nor last. */
function sprinkled(marks: readonly string[], seed: number): string {
  const random = seededRandom(seed);
  const pick = <T>(of: readonly [T, ...T[]] | readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
  const glue = () => pick(["", " ", " ", "\n"]) ?? "";
  const middle = Array.from({ length: 6 }, () => glue() + (random() < 0.6 ? pick(marks) : pick(WORDS)));
  return `So ${middle.join("")}${glue()}is how it ends.`;
}

/** In one piece, character by character, and in pieces of a token's size. */
function isKept(text: string, row: ChatTemplateSpec | undefined): boolean {
  const circumstances = { setting: { ...PLAIN, wire: row?.id }, finishReason: "stop" };
  return [text.length, 1, 5].every((size) => {
    const { content, reasoning } = meaningOf(runParser(chunksOf(text, size), circumstances));
    return content === text && reasoning === null;
  });
}

describe("prose, code and JSON with marks sprinkled in come back verbatim without tools", () => {
  const rows: readonly (ChatTemplateSpec | undefined)[] = [undefined, ...CHAT_TEMPLATES];

  it.each(CHAT_TEMPLATES)("the framing of $id, for the default row and every row of another wire", (wire) => {
    const marks = framingOf(wire);
    const lost = rows.flatMap((row) => {
      if (row && framingOf(row).some((mark) => marks.includes(mark))) return [];
      return Array.from({ length: 4 }, (_, seed) => sprinkled(marks, seed)).filter((text) => !isKept(text, row));
    });
    expect(lost).toEqual([]);
  });

  it("all marks of framing and calls, for the default row", () => {
    const texts = Array.from({ length: 200 }, (_, seed) => sprinkled(FRAMES_AND_CALLS, 1000 + seed));
    expect(texts.filter((text) => !isKept(text, undefined))).toEqual([]);
  });
});
