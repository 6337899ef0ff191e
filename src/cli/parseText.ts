// `postel parse`: runs the parser without a network, on one text or on JSON Lines.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { createFailure, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import { createParserServices } from "../gateway/parserServices.ts";
import { parseKnown } from "../server/fastpath/parseWithToolCache.ts";
import { ToolListCache } from "../server/fastpath/ToolListCache.ts";
import { ModelTextParser } from "../server/parse/ModelTextParser.ts";
import { type ConfigFlags, loadFlags } from "./options/loadFlags.ts";
import { readLines } from "./output/readLines.ts";
import { renderExplanation } from "./output/renderExplanation.ts";
import { writeText } from "./output/terminal.ts";

export interface ParseFlags extends ConfigFlags {
  readonly text?: string | undefined;
  readonly tools?: string | undefined;
  readonly model?: string | undefined;
  readonly toolMode?: string | undefined;
  readonly jsonl: boolean;
  readonly explain: boolean;
}

/** Resolves with the exit status. */
export async function parseText(flags: ParseFlags): Promise<number> {
  const parser = new ModelTextParser(createParserServices(loadFlags(flags)));
  const asked = {
    ...(flags.tools !== undefined && { tools: readTools(flags.tools) }),
    model: flags.model,
    tool_mode: flags.toolMode,
  };
  if (flags.jsonl) {
    await answerLines(parser, asked, { input: process.stdin, output: process.stdout });
    return 0;
  }
  const request = {
    ...asked,
    tool_mode: flags.toolMode ?? "native",
    text: flags.text ?? (await readAll(process.stdin)),
  };
  if (flags.explain) {
    const { spans, calls } = await parser.explain(request);
    process.stdout.write(`${renderExplanation(spans, process.stdout)}\n`);
    writeText(`${JSON.stringify(calls, null, 2)}\n`);
  } else writeText(`${JSON.stringify(await parser.answer(request), null, 2)}\n`);
  return 0;
}

/**
 * Answers each line of `input` with a line, in order; an unreadable line with `{id, error}`. Missing members come from
 * `defaults`. Buffers only the lines of one input piece, and waits for a slow consumer.
 */
export async function answerLines(
  parser: ModelTextParser,
  defaults: object,
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream },
): Promise<void> {
  // A long measurement uses the same few tool lists again and again.
  const known = new ToolListCache();
  for await (const lines of readLines(input)) {
    const answers: string[] = [];
    for (const line of lines.filter((one) => one.trim() !== ""))
      answers.push(`${JSON.stringify(await answerLine(parser, defaults, { line, known }))}\n`);
    if (answers.length > 0 && !output.write(answers.join(""))) await once(output, "drain");
  }
}

async function answerLine(
  parser: ModelTextParser,
  defaults: object,
  { line, known }: { readonly line: string; readonly known: ToolListCache },
): Promise<JsonObject> {
  let request: unknown;
  try {
    request = parseKnown(line, known);
    return await parser.answer(isObject(request) ? { ...defaults, ...request } : request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id: readRequestId(request), error: message };
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readRequestId(request: unknown): string | number | null {
  const id = typeof request === "object" && request !== null && "id" in request ? request.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function readTools(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PostelError(createFailure("invalid_request", `--tools: ${file} cannot be read as JSON: ${reason}.`));
  }
}
