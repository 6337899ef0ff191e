// Converts candidates to calls: resolves the name and fits the arguments to the tool's schema. No other module creates a call.
import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolSpec } from "../../core/messages.ts";
import type { CallCandidate } from "../decoders/CallCandidate.ts";
import { parseStringSpan, type ValueAt } from "../decoders/jsonTree.ts";
import type { Misfit } from "./coerceJson.ts";
import { fitValue } from "./fitValue.ts";
import { readArguments } from "./readArguments.ts";
import { nameList } from "./resolveToolName.ts";
import { compileToolSet } from "./ToolSet.ts";

/** Placeholder for a value in examples of a call. An argument with this text is refused: the model repeated the example. */
export const PLACEHOLDER = "<value>";

export interface FitContext {
  readonly tools: readonly ToolSpec[];
  /** `native`, or the id of the format. */
  readonly family: string;
  /** Complete text of the model for this call. */
  readonly raw: string;
  /** Offset of `raw`: UTF-16 units from the start of the attempt's text. */
  readonly at?: number | undefined;
  /** Candidates that are fitted in one go, this one included: they share the steps that one may take. The default is 1. */
  readonly among?: number | undefined;
  /** Repairs that are not allowed: a call that needs one is refused. */
  readonly without?: ReadonlySet<string> | undefined;
  /** True if a number with a fraction may stand for an `integer` of a schema that is not strict. The operator sets it. */
  readonly fractions?: boolean | undefined;
}

export type FitResult =
  /** `name` is offered; `arguments` is the strict JSON text of an object that fits the tool's schema. */
  | { readonly type: "call"; readonly name: string; readonly arguments: string; readonly repairs: readonly string[] }
  /** `unknown-tool`, `invalid-arguments` or `ambiguous-call`, with a message that the model can act on. */
  | { readonly type: "issue"; readonly issue: FormatIssue };

/**
 * Converts a candidate to a call, or returns the issue. Never throws. Strict JSON that fits stays verbatim. The
 * text and counted steps limit the work. `schema-unchecked` reports a check that they did not allow.
 */
export function fitCall(candidate: CallCandidate, context: FitContext): FitResult {
  const refuse = (code: Refusal, message: string, tool?: string): FitResult => {
    const { family, at, raw } = context;
    const callId = family === "native" ? candidate.id : undefined;
    return { type: "issue", issue: { code, message, family, at, raw, tool, callId } };
  };
  if (candidate.ambiguous !== undefined) return refuse("ambiguous-call", twofold(candidate));
  const offer = compileToolSet(context.tools);
  const resolved = offer.names.resolve(candidate.name);
  const tool = resolved && offer.tool(resolved.name);
  if (!resolved || !tool) return refuse("unknown-tool", unknownTool(candidate.name, context.tools));
  const { name } = resolved;
  const invalid = (message: string) => refuse("invalid-arguments", message, name);
  const before = [...candidate.repairs, ...resolved.repairs];
  if (candidate.arguments.type === "oversized") {
    // A complete call that is only too large for schema validation is passed on.
    const repairs = [...new Set([...before, "schema-unchecked"])];
    return { type: "call", name, arguments: candidate.arguments.text, repairs };
  }
  const read = readArguments(candidate.arguments, tool);
  const problem = read.type === "refused" ? read.problem : unfilled(read.value);
  if (read.type === "refused" || problem !== undefined) return invalid(`The arguments of ${name} ${problem}.`);
  const { strict } = tool;
  const fractions = context.fractions === true && !strict;
  const { among } = context;
  const fitted = fitValue(read.value, tool.schema, { strict, fractions, deeperArrays: !strict, among });
  if (fitted.type === "misfit") return invalid(explain(name, fitted.misfits));
  const unchecked = tool.unchecked ? ["schema-unchecked"] : [];
  const repairs = [...new Set([...before, ...read.repairs, ...fitted.repairs, ...unchecked])];
  const switchedOff = repairs.find((repair) => context.without?.has(repair));
  if (switchedOff !== undefined) return invalid(`The call of ${name} needs \`${switchedOff}\`, which is switched off.`);
  return { type: "call", name, arguments: fitted.text, repairs };
}

type Refusal = "unknown-tool" | "invalid-arguments" | "ambiguous-call";

/** Describes the fault of arguments that repeat the placeholder of an example. */
function unfilled({ text, node }: ValueAt): string | undefined {
  const blank = node.members.find(
    ({ value }) => value.kind === "string" && parseStringSpan(text, value).trim() === PLACEHOLDER,
  );
  return blank && `must hold real values, and ${JSON.stringify(blank.key)} is still ${PLACEHOLDER}`;
}

function twofold({ name, ambiguous }: CallCandidate): string {
  return ambiguous === "name"
    ? `One call names two tools, ${visible(name)} and another: write one name.`
    : `The call of ${visible(name)} has its arguments twice, and they differ: write them once.`;
}

function unknownTool(name: string, tools: readonly ToolSpec[]): string {
  const offered = nameList(compileToolSet(tools).toolNames, tools.length);
  return `There is no tool ${visible(name)}. The tools are: ${offered}.`;
}

/** A name of a model's making, so that no invisible or look-alike character of it hides in a message. */
function visible(name: string): string {
  const shown = JSON.stringify(name.slice(0, 100));
  return shown.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function explain(name: string, misfits: readonly Misfit[]): string {
  const problems = misfits.map(({ path, problem }) =>
    path.length > 0
      ? `parameter ${JSON.stringify(path.join("."))} ${problem}`
      : `they ${problem.replace(/^must be/, "must be of type")}`,
  );
  return `The arguments of ${name} do not fit: ${problems.join("; ")}.`;
}

/**
 * Returns the only tool that an object without a tool's name fits as it stands, with every key a parameter; undefined if it fits several or no
 * tool. It does not become a call, since the model did not state the tool.
 */
export function findToolForArguments(value: ValueAt, tools: readonly ToolSpec[]): string | undefined {
  const { kind, members } = value.node;
  if (kind !== "object" || members.length === 0) return undefined;
  const keys = members.map(({ key }) => key);
  const [only, second] = compileToolSet(tools).toolNames.filter((name) => {
    const candidate = { name, arguments: { type: "json", value }, repairs: [] } as const;
    if (!compileToolSet(tools).tool(name)?.takesAll(keys)) return false;
    return fitCall(candidate, { tools, family: "", raw: "" }).type === "call";
  });
  return second === undefined ? only : undefined;
}

/** Message for the model about arguments without a tool's name. */
export function describeNamelessCall(tool: string): string {
  return `These are arguments without a tool's name. They fit ${tool} and no other tool: if you mean to call it, write its name too.`;
}
