// Reads the texts that `tolerance.ts` parses, each with the check of its result. The corpora are outputs of BFCL,
// public conformance fixtures, plain answers without calls ("harmless"), and the project's own cases.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { corpusReader, loadCorpus } from "../../test/support/corpus.ts";
import type { Circumstances } from "../../test/support/parserRuns.ts";
import { type AcceptedCall, matchesAcceptedCalls } from "./acceptedCalls.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A call with its arguments as parsed JSON. */
export interface ParsedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, Json>>;
}

/** A text with the parser's settings for it. */
export interface CheckedText {
  readonly text: string;
  readonly circumstances: Circumstances;
  /** Returns true if the calls and the content are the expected ones. */
  readonly isCorrect: (calls: readonly ParsedCall[], content: string) => boolean;
}

/** The names of the corpora. */
export const CORPORA = ["bfcl", "conformance", "harmless", "own"] as const;

/**
 * Reads all corpora.
 * @param folder folder of the corpora `bfcl`, `conformance` and `harmless`. The corpus `own` is `fixtures/outputs`.
 */
export function readTexts(folder: string): Readonly<Record<(typeof CORPORA)[number], readonly CheckedText[]>> {
  const toCircumstances = corpusReader();
  const createText = (line: CorpusLine, isCorrect: CheckedText["isCorrect"]): CheckedText => ({
    text: line.text,
    circumstances: toCircumstances({ note: "", expected: { content: null, reasoning: null, calls: [] }, ...line }),
    isCorrect,
  });
  return {
    bfcl: readBfcl(folder, createText),
    conformance: readLines<Fixture>(join(folder, "conformance/dev.jsonl")).map(({ expected, ...line }) => {
      // A fixture without `expected` requires that the text yields no call.
      const expectedCalls = (expected?.tool_calls ?? []).map(toParsedCall);
      return createText(line, (calls) => isDeepEqual(calls, expectedCalls));
    }),
    harmless: readLines<CorpusLine>(join(folder, "harmless/answers.jsonl")).map(({ id, text }) =>
      createText({ id, text, tools: HARMLESS_TOOLS }, (calls, content) => {
        return calls.length === 0 && content.trim() === text.trim();
      }),
    ),
    own: loadCorpus().flatMap(({ cases }) =>
      cases.map((corpusCase) => {
        const { text, expected } = corpusCase;
        const isCorrect: CheckedText["isCorrect"] = (calls, content) =>
          content === (expected.content ?? "") && isDeepEqual(calls, expected.calls.map(toParsedCall));
        return { text, circumstances: toCircumstances(corpusCase), isCorrect };
      }),
    ),
  };
}

function readBfcl(
  folder: string,
  createText: (line: CorpusLine, isCorrect: CheckedText["isCorrect"]) => CheckedText,
): readonly CheckedText[] {
  const tasks = JSON.parse(readFileSync(join(folder, "bfcl/tasks.json"), "utf8")) as Readonly<Record<string, Task>>;
  const outputs = readdirSync(join(folder, "bfcl/outputs")).flatMap((name) =>
    readLines<CorpusLine>(join(folder, "bfcl/outputs", name)),
  );
  return outputs.map(({ id, text }) => {
    const { tools = [], answers = [], category } = tasks[id] ?? {};
    const accepted = category === "relevance" ? [] : answers;
    const line: CorpusLine = { id, text, tools: adaptToolNames(tools, text), tool_mode: "text" };
    return createText(line, (calls) => matchesAcceptedCalls(calls, accepted));
  });
}

/** Parses the arguments of a call. @throws SyntaxError if they are a string that is not JSON. */
export function toParsedCall(call: {
  readonly name?: string;
  readonly arguments?: unknown;
  readonly function?: unknown;
}): ParsedCall {
  const { name, arguments: args } = (call.function ?? call) as { readonly name: string; readonly arguments: unknown };
  return { name, arguments: (typeof args === "string" ? JSON.parse(args) : args) as ParsedCall["arguments"] };
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
  readonly tools?: readonly FunctionTool[];
  readonly answers?: readonly AcceptedCall[];
}

interface FunctionTool {
  readonly function: { readonly name: string };
}

interface Fixture extends CorpusLine {
  readonly expected?: { readonly tool_calls: readonly Parameters<typeof toParsedCall>[0][] };
}

/** Reads a JSONL file. Fields with the value null are left out, because fixtures write null for unknown values. */
function readLines<T>(file: string): readonly T[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => removeNulls(JSON.parse(line) as T & object));
}

function removeNulls<T extends object>(line: T): T {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null)) as T;
}

/** Replaces dots in tool names if the text uses underscores: some models cannot write dots in names and were given those. */
function adaptToolNames(tools: readonly FunctionTool[], text: string): readonly FunctionTool[] {
  const replaceDots = (name: string): string => name.replaceAll(".", "_");
  const names = tools.map((tool) => tool.function.name);
  const usesDots = names.some((name) => text.includes(name));
  const usesUnderscores = names.some((name) => text.includes(replaceDots(name)));
  if (usesDots || !usesUnderscores) return tools;
  return tools.map((tool) => ({ ...tool, function: { ...tool.function, name: replaceDots(tool.function.name) } }));
}

function isDeepEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted()
      .map(([key, member]) => [key, sortKeys(member)]),
  );
}

/** The tools on offer for plain answers. */
const HARMLESS_TOOLS: readonly unknown[] = [
  {
    type: "function",
    function: {
      name: "fetch_tide_table",
      parameters: { type: "object", properties: { harbour_code: { type: "string" } }, required: ["harbour_code"] },
    },
  },
];
