// Public parser for other programs: converts model text to content, reasoning, calls and issues. Needs only the globals of the Web platform.

import type { FormatIssue } from "./core/events/issues.ts";
import { refuseField } from "./core/failures.ts";
import { isObject, type JsonObject, type ToolCall, type ToolMode, type ToolSpec } from "./core/messages.ts";
import { isToolName, TOOL_NAME_RULE } from "./core/tools/toolName.ts";
import { createParserOptions } from "./formats/createOutputParser.ts";
import { MultiFormatOutputParser } from "./formats/MultiFormatOutputParser.ts";
import type { ParserEvent as FormatEvent } from "./formats/state/ParserEvent.ts";
import { resolveParsingProfile } from "./models/capabilities/parsingProfile.ts";

export type { FormatIssue, FormatIssueCode } from "./core/events/issues.ts";
export { type Failure, PostelError } from "./core/failures.ts";
export type { JsonObject, JsonValue, ToolCall, ToolMode } from "./core/messages.ts";

/** A function that the model was offered. `parameters` is a JSON Schema of an object; without it the function takes no arguments. */
export interface FunctionDefinition {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly parameters?: object | null | undefined;
  readonly strict?: boolean | null | undefined;
}

/** A tool as in a request of the OpenAI wire, or the function alone. */
export type Tool = FunctionDefinition | { readonly type: "function"; readonly function: FunctionDefinition };

export interface ParserOptions {
  /** The tools that the model was offered; without tools no calls are read. */
  readonly tools?: readonly Tool[] | undefined;
  /** The model's name, as its server spells it. Selects the formats and reasoning markers that it is known to write. */
  readonly model?: string | undefined;
  /** The request's `tool_choice`. With `none`, call markers are ordinary text; other values change nothing. */
  readonly toolChoice?: "auto" | "none" | "required" | object | undefined;
  /** `text` if the tools were described in the prompt, in the format that `model` was trained on. Default: `native`. */
  readonly toolMode?: ToolMode | undefined;
  /** True if the prompt has opened a reasoning block, so that the text starts inside it. Default: true if `model` always does so. */
  readonly reasoningOpened?: boolean | undefined;
  /** Creates the id of a call without one. Default: nine letters and digits from Web Crypto. */
  readonly callId?: (() => string) | undefined;
  /** Maximum number of characters of one call; a longer one becomes an issue. Default: 262,144. */
  readonly captureChars?: number | undefined;
}

/** A final part of the output, in the order of the text. `at`: its offset in UTF-16 units from the start of the complete text. */
export type ParserEvent = Exclude<FormatEvent, { readonly type: "dropped" }>;

export interface OutputParser {
  /** Parses the next piece of the text, cut anywhere. @throws Error after `finish`. */
  feed(text: string): readonly ParserEvent[];
  /**
   * Ends the text. `reason` is the server's `finish_reason` (default: `stop`). `length`, and `null` for a server that
   * stopped without one, mean that the text was cut: an incomplete call becomes an issue. @throws Error if called again.
   */
  finish(reason?: string | null): readonly ParserEvent[];
}

export interface ParsedText {
  /** The text without calls, reasoning and markers; may be empty. */
  readonly content: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  /** Text that looked like a call and is none, with the reason. */
  readonly issues: readonly FormatIssue[];
}

const CAPTURE_CHARS = 262_144;

/**
 * Creates the parser of one answer. It never throws for any text.
 * @throws PostelError `invalid_request` for invalid tools; `failure.details.param` names the path.
 */
export function createParser(options: ParserOptions = {}): OutputParser {
  const model = resolveParsingProfile(options.model ?? "");
  const reading = {
    tools: readTools(options.tools ?? []),
    callsAllowed: options.toolChoice !== "none",
    toolMode: options.toolMode ?? "native",
    model: options.model ? model : { ...model, emulate: undefined },
    reasoningOpened: options.reasoningOpened ?? model.reasoning.opened === "always",
    ids: { callId: options.callId ?? drawCallId },
    captureChars: options.captureChars ?? CAPTURE_CHARS,
  };
  const parser = new MultiFormatOutputParser(createParserOptions(reading));
  let isFinished = false;
  const refuseMore = () => {
    if (isFinished) throw new Error("This parser has finished; each answer has a parser of its own.");
  };
  return {
    feed(text) {
      refuseMore();
      return parser.feed(text).filter(isShown);
    },
    finish(reason = "stop") {
      refuseMore();
      isFinished = true;
      return parser.finish(reason).filter(isShown);
    },
  };
}

/**
 * Parses a complete text.
 * @throws PostelError as `createParser` does.
 */
export function parse(
  text: string,
  { finishReason, ...options }: ParserOptions & { readonly finishReason?: string | null | undefined } = {},
): ParsedText {
  const parser = createParser(options);
  const toolCalls: ToolCall[] = [];
  const issues: FormatIssue[] = [];
  let content = "";
  let reasoning = "";
  for (const event of [...parser.feed(text), ...parser.finish(finishReason)]) {
    if (event.type === "text") content += event.text;
    else if (event.type === "reasoning") reasoning += event.text;
    else if (event.type === "call") toolCalls.push(event.call);
    else issues.push(event.issue);
  }
  return { content, reasoning, toolCalls, issues };
}

function isShown(event: FormatEvent): event is ParserEvent {
  return event.type !== "dropped";
}

function readTools(tools: readonly Tool[]): readonly ToolSpec[] {
  if (!Array.isArray(tools)) refuseField("tools", "The tools must be a list.");
  const names = new Set<string>();
  return tools.map((tool, index) => {
    const spec = readTool(tool, `tools[${index}]`);
    if (names.has(spec.name)) refuseField(`tools[${index}]`, `Two tools are named \`${spec.name}\`.`);
    names.add(spec.name);
    return spec;
  });
}

/** Checks types at run time, because callers may use plain JavaScript. */
function readTool(tool: unknown, path: string): ToolSpec {
  const definition = isObject(tool) && "function" in tool ? tool.function : tool;
  if (!isObject(definition))
    refuseField(path, 'A tool must be {"name": …} or {"type": "function", "function": {"name": …}}.');
  const { name, description, parameters, strict } = definition;
  if (typeof name !== "string" || !isToolName(name)) refuseField(`${path}.name`, TOOL_NAME_RULE);
  return {
    name,
    description: typeof description === "string" ? description : undefined,
    parameters: readParameters(parameters ?? undefined, `${path}.parameters`),
    strict: strict === true,
  };
}

function readParameters(parameters: unknown, path: string): JsonObject | undefined {
  if (parameters === undefined) return undefined;
  if (isObject(parameters) && (parameters.type ?? "object") === "object") return parameters;
  return refuseField(path, 'The parameters of a tool must be a JSON Schema of the type "object".');
}

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ID_CHARS = 9;

/** Random bytes for many ids, because one request to Web Crypto costs more than the ids. */
const dice = new Uint8Array(1_024);
let thrown = dice.length;

function drawCallId(): string {
  let id = "";
  while (id.length < ID_CHARS) {
    if (thrown === dice.length) {
      globalThis.crypto.getRandomValues(dice);
      thrown = 0;
    }
    // 64 values for 62 characters: `charAt` returns nothing for the other two, and the loop draws again.
    id += ALPHANUMERIC.charAt((dice[thrown++] ?? 0) & 63);
  }
  return id;
}
