// The texts that a tolerance is weighed by, and when each is read right: BFCL, conformance and the own corpus (calls), plain answers (none). Reads files, weighs nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { corpusReader, loadCorpus } from "../../test/support/corpus.ts";
import type { Circumstances } from "../../test/support/parserRuns.ts";
import { type Accepted, areAccepted } from "./acceptedCalls.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface Called {
  readonly name: string;
  readonly arguments: Readonly<Record<string, Json>>;
}

export interface WeighedText {
  readonly text: string;
  readonly circumstances: Circumstances;
  readonly isRight: (calls: readonly Called[], content: string) => boolean;
}

export const CORPORA = ["bfcl", "conformance", "harmless", "own"] as const;

/** @param folder that holds the first three corpora; the own one is `fixtures/outputs`. */
export function readTexts(folder: string): Readonly<Record<(typeof CORPORA)[number], readonly WeighedText[]>> {
  const circumstancesOf = corpusReader();
  const read = (line: CorpusLine, isRight: WeighedText["isRight"]): WeighedText => ({
    text: line.text,
    circumstances: circumstancesOf({ note: "", expected: { content: null, reasoning: null, calls: [] }, ...line }),
    isRight,
  });
  const tasks = JSON.parse(readFileSync(join(folder, "bfcl/tasks.json"), "utf8")) as Readonly<Record<string, Task>>;
  const outputs = readdirSync(join(folder, "bfcl/outputs")).flatMap((name) =>
    linesOf<CorpusLine>(join(folder, "bfcl/outputs", name)),
  );
  return {
    bfcl: outputs.map(({ id, text }) => {
      const { tools = [], answers = [], category } = tasks[id] ?? {};
      const wanted = category === "relevance" ? [] : answers;
      return read({ id, text, tools: named(tools, text), tool_mode: "text" }, (calls) => areAccepted(calls, wanted));
    }),
    conformance: linesOf<Fixture>(join(folder, "conformance/dev.jsonl")).map(({ expected, ...line }) =>
      // Without expectation a fixture asks that the text fails to be a call.
      read(line, (calls) => isDeepSame(calls, (expected?.tool_calls ?? []).map(calledOf))),
    ),
    harmless: linesOf<CorpusLine>(join(folder, "harmless/answers.jsonl")).map(({ id, text }) =>
      read({ id, text, tools: HARBOUR }, (calls, content) => calls.length === 0 && content.trim() === text.trim()),
    ),
    own: loadCorpus().flatMap(({ cases }) =>
      cases.map((one) => ({
        text: one.text,
        circumstances: circumstancesOf(one),
        isRight: (calls, content) =>
          content === (one.expected.content ?? "") && isDeepSame(calls, one.expected.calls.map(calledOf)),
      })),
    ),
  };
}

/** The call as it is compared; arguments that are no JSON object are equal to nothing. */
export function calledOf(call: {
  readonly name?: string;
  readonly arguments?: unknown;
  readonly function?: unknown;
}): Called {
  const { name, arguments: given } = (call.function ?? call) as { readonly name: string; readonly arguments: unknown };
  return { name, arguments: (typeof given === "string" ? JSON.parse(given) : given) as Called["arguments"] };
}

interface CorpusLine {
  readonly id: string;
  readonly text: string;
  readonly tools: readonly unknown[];
  readonly tool_mode?: "native" | "text";
  readonly model?: string;
  readonly generation_prompt?: string;
  readonly finish_reason?: string;
}

interface Task {
  readonly category?: string;
  readonly tools?: readonly ToolLine[];
  readonly answers?: readonly Accepted[];
}

interface ToolLine {
  readonly function: { readonly name: string };
}

interface Fixture extends CorpusLine {
  readonly expected?: { readonly tool_calls: readonly Parameters<typeof calledOf>[0][] };
}

function linesOf<T>(file: string): readonly T[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => withoutNulls(JSON.parse(line) as T & object));
}

/** A fixture says null where nothing is known. */
function withoutNulls<T extends object>(line: T): T {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null)) as T;
}

/** Models that may not write dots were shown the names with underscores. */
function named(tools: readonly ToolLine[], text: string): readonly ToolLine[] {
  const flat = (name: string): string => name.replaceAll(".", "_");
  const names = tools.map((tool) => tool.function.name);
  if (names.some((name) => text.includes(name)) || !names.some((name) => text.includes(flat(name)))) return tools;
  return tools.map((tool) => ({ ...tool, function: { ...tool.function, name: flat(tool.function.name) } }));
}

function isDeepSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted()
      .map(([key, member]) => [key, sorted(member)]),
  );
}

const HARBOUR: readonly unknown[] = [
  {
    type: "function",
    function: {
      name: "fetch_tide_table",
      parameters: { type: "object", properties: { harbour_code: { type: "string" } }, required: ["harbour_code"] },
    },
  },
];
