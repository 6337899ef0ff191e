// Renders the correction that asks a model again after a call could not be read. The agent decides when to send it.
import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolSpec } from "../../core/messages.ts";
import { resolveRendering } from "../specs/prompts.ts";
import { PLACEHOLDER } from "../validation/fitCall.ts";
import { listPropertyNames } from "../validation/ToolSet.ts";
import { escapeMarkers } from "./escapeMarkers.ts";
import { stringifySpaced } from "./toolLists.ts";
import { buildExampleCall, renderCall } from "./toolSection.ts";

/**
 * The text of a user message (or of the result of a refused native call) that says what was wrong, what is expected, and
 * ends in the form of a right call: of the tool that the issue names, else of none. Nothing in it is a call, so that a model that
 * repeats it calls nothing. Quotes at most 300 characters that may be the model's own.
 */
export function renderCorrection(
  issue: FormatIssue,
  context: {
    readonly tools: readonly ToolSpec[];
    /** Format whose form is shown; absent for a model in native mode. */
    readonly emulate?: string | undefined;
  },
): string {
  const { tools, emulate } = context;
  const meant = tools.find((tool) => tool.name === issue.tool) ?? findTool(issue.raw ?? "", tools);
  const detail = clip(
    escapeMarkers(issue.message, emulate === undefined ? [] : resolveRendering(emulate).marks),
    DETAIL,
  );
  return [
    `${OPENINGS[issue.code]} ${detail}`.trim(),
    ...expectation(issue, tools, meant),
    ...(emulate === undefined ? wayByField(tools, meant) : wayInText(tools, meant, emulate)),
  ].join("\n\n");
}

/** The one tool that a text names. */
function findTool(text: string, tools: readonly ToolSpec[]): ToolSpec | undefined {
  const words = new Set(text.split(/[^\w.:/-]+/).slice(0, WORDS));
  const [only, ...more] = tools.filter(({ name }) => words.has(name));
  return more.length > 0 ? undefined : only;
}

/** Maximum characters of the model's text in which a tool's name is searched. */
const WORDS = 1_000;
/** UTF-16 units of an issue's message, which may quote the model. */
const DETAIL = 300;
/** Maximum UTF-16 units of a schema. For a longer one the required names suffice. */
const SCHEMA = 2_000;

const OPENINGS: Readonly<Record<FormatIssue["code"], string>> = {
  "malformed-call": "Your tool call could not be read, and nothing was executed.",
  "truncated-call":
    "Your tool call was cut off before its end, and nothing was executed. Write it whole, and keep it short.",
  "unknown-tool": "You called a tool that does not exist, and nothing was executed.",
  "invalid-arguments": "The arguments of your tool call do not fit its parameters, and nothing was executed.",
  "ambiguous-call": "It is not clear which tool call you meant, and nothing was executed.",
  "missing-call": "Your answer has no tool call, but one is required.",
  "invalid-output": "Your answer does not have the form that was asked for.",
  "stray-mark": "Your answer has a tool call mark without a call, and nothing was executed.",
  "repeated-call": "You made the same tool call twice; it was taken once.",
  "quoted-call": "A call was only quoted.",
  "too-many-calls": "Your answer has more tool calls than can be taken at once.",
  "schema-unchecked": "Not all of your answer could be held against its schema.",
};

function expectation(issue: FormatIssue, tools: readonly ToolSpec[], meant: ToolSpec | undefined): readonly string[] {
  if (issue.code === "unknown-tool" || issue.code === "missing-call" || !meant) {
    return tools.length === 0 ? [] : [`The tools are: ${clip(tools.map(({ name }) => name).join(", "), SCHEMA)}.`];
  }
  return [`The parameters of ${meant.name}: ${schemaText(meant)}`];
}

function schemaText(tool: ToolSpec): string {
  const schema = JSON.stringify(tool.parameters ?? {});
  if (schema.length <= SCHEMA) return schema;
  return `${clip(listPropertyNames(tool).join(", "), SCHEMA)} (required: ${clip(listRequired(tool).join(", "), SCHEMA)})`;
}

function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  // A surrogate pair is not cut in half.
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function wayInText(tools: readonly ToolSpec[], meant: ToolSpec | undefined, emulate: string): readonly string[] {
  if (tools.length === 0) return [];
  const skeleton = meant && renderSkeleton(meant);
  const form = buildExampleCall(tools);
  const shown = meant && skeleton !== undefined ? { ...form, name: meant.name, arguments: skeleton } : form;
  const lead = meant && skeleton === undefined ? `Call ${meant.name} without arguments. ` : "";
  const text = renderCall(shown, emulate);
  return [`${lead}Write the call again, in this form and with real values instead of ${PLACEHOLDER}:\n${text}`];
}

/** A model that calls through the wire's field would take any form in text for the one to use. */
function wayByField(tools: readonly ToolSpec[], meant: ToolSpec | undefined): readonly string[] {
  if (!meant) return tools.length === 0 ? [] : ["Call one of them now."];
  const skeleton = renderSkeleton(meant);
  if (skeleton === undefined) return [`Call ${meant.name} without arguments.`];
  return [`Call ${meant.name} with arguments of this form, with real values instead of ${PLACEHOLDER}: ${skeleton}`];
}

/** Returns the required arguments, else the first one, with a placeholder for each. Undefined if the tool takes none. */
function renderSkeleton(tool: ToolSpec): string | undefined {
  const required = listRequired(tool);
  const names = required.length > 0 ? required : listPropertyNames(tool).slice(0, 1);
  if (names.length === 0) return undefined;
  return stringifySpaced(Object.fromEntries(names.map((name) => [name, PLACEHOLDER])));
}

function listRequired(tool: ToolSpec): readonly string[] {
  const required = tool.parameters?.required;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
