// The own corpus `fixtures/outputs`: its cases, and what each is parsed under. Judges nothing.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { opensInReasoning } from "../../src/agents/prompting/startsInReasoning.ts";
import { loadFlags } from "../../src/cli/options/loadFlags.ts";
import { opensReasoning } from "../../src/formats/channels/ReasoningReader.ts";
import { readToolSpecs, toolShape } from "../../src/server/apis/chatCompletions/toolSpecs.ts";
import { createSchemaBudget } from "../../src/server/validation/checkToolSchema.ts";
import { createParserServices } from "./gatewayModules.ts";
import type { Circumstances } from "./parserRuns.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/outputs");

/** A line of a `cases.jsonl`. */
export interface CorpusCase {
  readonly id: string;
  readonly note: string;
  readonly text: string;
  /** The name of a set in `tools.json`, or tools in OpenAI's shape. */
  readonly tools: string | readonly unknown[];
  readonly tool_mode?: "native" | "text";
  readonly model?: string;
  readonly generation_prompt?: string;
  readonly finish_reason?: string;
  readonly family?: string;
  readonly expected: {
    readonly content: string | null;
    readonly reasoning: string | null;
    /** `arguments` as an object, or as JSON text where its spelling matters. */
    readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
    readonly issues?: readonly string[];
  };
}

export interface CorpusFolder {
  readonly family: string;
  readonly cases: readonly CorpusCase[];
}

export function loadCorpus(): readonly CorpusFolder[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(FOLDER, entry.name, "cases.jsonl")))
    .map(({ name: family }) => ({ family, cases: readCases(join(FOLDER, family, "cases.jsonl")) }));
}

/** Turns cases into what the parser is given, as `postel parse` would. */
export function corpusReader(): (one: CorpusCase) => Circumstances {
  const services = createParserServices(loadFlags({}));
  const sets = existsSync(join(FOLDER, "tools.json"))
    ? (JSON.parse(readFileSync(join(FOLDER, "tools.json"), "utf8")) as Record<string, readonly unknown[]>)
    : {};
  return (one) => {
    const toolMode = one.tool_mode ?? "native";
    const model = one.model ?? "";
    const row = services.detector.detect({ model, key: `corpus/${model}`, pinned: toolMode });
    const given = typeof one.tools === "string" ? sets[one.tools] : one.tools;
    if (!given) throw new Error(`${one.id} names the tool set "${one.tools}", which tools.json does not have.`);
    const tools = readToolSpecs(
      given.map((tool) => toolShape.parse(tool)),
      services.limits,
      createSchemaBudget(services.limits.schemaSteps),
    );
    return {
      finishReason: one.finish_reason ?? "stop",
      setting: {
        tools,
        callsAllowed: true,
        toolMode,
        formats: row.formats,
        wire: row.wire,
        ...(toolMode === "text" && model !== "" && { emulate: row.emulate }),
        reasoning: row.reasoning,
        reasoningOpened:
          one.generation_prompt === undefined
            ? opensInReasoning(row.reasoning, {})
            : opensReasoning(one.generation_prompt),
        captureChars: services.limits.captureChars,
      },
    };
  };
}

function readCases(file: string): readonly CorpusCase[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (line.trim() === "") return [];
      try {
        return [JSON.parse(line) as CorpusCase];
      } catch {
        throw new Error(`${file}:${index + 1} is no JSON.`);
      }
    });
}
