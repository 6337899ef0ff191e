// The only place where a candidate becomes a call: resolves its name and fits its arguments to the tool's schema. Knows no wire format.
import type { FormatIssue } from "../../core/issues.ts";
import type { ToolSpec } from "../../core/messages.ts";
import type { CallCandidate } from "../bodies/CallCandidate.ts";
import { stringAt, type ValueAt } from "../bodies/jsonSpans.ts";
import { coerceJson } from "./coerceJson.ts";
import { applyEdits, type Misfit } from "./coercion.ts";
import { ruleMisfit } from "./faultWords.ts";
import { nameList } from "./nameList.ts";
import { offerOf } from "./offer.ts";
import { PLACEHOLDER } from "./placeholder.ts";
import { readArguments } from "./readArguments.ts";
import { remarksOf } from "./SchemaCheck.ts";

export interface FitContext {
  readonly tools: readonly ToolSpec[];
  /** `native`, or the id of the format family. */
  readonly family: string;
  /** What the model wrote for this call, whole. */
  readonly raw: string;
  /** Where `raw` starts: UTF-16 units from the start of the attempt's text. */
  readonly at?: number | undefined;
  /** Repairs that are not allowed: a call that needs one is refused. */
  readonly without?: ReadonlySet<string> | undefined;
  /** True where a number with a fraction may stand for an `integer` of a schema that is not strict: the operator's word. */
  readonly fractions?: boolean | undefined;
}

export type FitResult =
  /** `name` is offered; `arguments` is the strict JSON text of an object that fits the tool's schema. */
  | { readonly type: "call"; readonly name: string; readonly arguments: string; readonly repairs: readonly string[] }
  /** `unknown-tool`, `invalid-arguments` or `ambiguous-call`, with a message that the model can act on. */
  | { readonly type: "issue"; readonly issue: FormatIssue };

/**
 * Makes a call of a candidate, or says why it is none. Never throws. What was strict JSON and fits leaves with its very characters;
 * the work is bounded by the text and by counted steps. What could not be checked within them is reported as `schema-unchecked`.
 */
export function fitCall(candidate: CallCandidate, context: FitContext): FitResult {
  if (candidate.ambiguous !== undefined) return refuse("ambiguous-call", twofold(candidate), { candidate, context });
  const offer = offerOf(context.tools);
  const resolved = offer.names.resolve(candidate.name);
  const tool = resolved && offer.tools.get(resolved.name);
  if (!resolved || !tool)
    return refuse("unknown-tool", unknownTool(candidate.name, context.tools), { candidate, context });
  if (candidate.arguments.type === "oversized") return unchecked(resolved, candidate.arguments.text, candidate.repairs);
  const read = readArguments(candidate.arguments, tool.parameters);
  const problem = read.type === "refused" ? read.problem : unfilled(read.value);
  if (read.type === "refused" || problem !== undefined) {
    return refuse("invalid-arguments", `The arguments of ${resolved.name} ${problem}.`, {
      candidate,
      context,
      tool: resolved.name,
    });
  }
  const fractions = context.fractions === true && !tool.strict;
  const { text, node } = read.value;
  const budget = { steps: maxSteps + stepsPerChar * (node.end - node.start) };
  const fit = coerceJson(
    { node, schema: tool.schema, path: [] },
    {
      text,
      reader: tool.reader,
      budget,
      strict: tool.strict,
      fractions,
      conversions: maxConversions,
    },
  );
  if (fit.type === "misfit") {
    return refuse("invalid-arguments", explain(resolved.name, fit.misfits), {
      candidate,
      context,
      tool: resolved.name,
    });
  }
  const fitted = applyEdits(text, fit.edits, node);
  const verdict = tool.check.check(fitted, { deeperArrays: !tool.strict, fractions });
  if (verdict.fault) {
    return refuse("invalid-arguments", explain(resolved.name, [ruleMisfit(verdict.fault)]), {
      candidate,
      context,
      tool: resolved.name,
    });
  }
  const mended = [...candidate.repairs, ...resolved.repairs, ...read.repairs, ...fit.repairs];
  const repairs = [...new Set([...mended, ...remarksOf(verdict)])];
  const refused = repairs.find((repair) => context.without?.has(repair));
  if (refused !== undefined) {
    return refuse("invalid-arguments", `The call of ${resolved.name} needs \`${refused}\`, which is switched off.`, {
      candidate,
      context,
      tool: resolved.name,
    });
  }
  return { type: "call", name: resolved.name, arguments: fitted, repairs };
}

/** A whole call that is only too large to be held against its schema is no worse for it. */
function unchecked(
  resolved: { readonly name: string; readonly repairs: readonly string[] },
  text: string,
  before: readonly string[],
): FitResult {
  const repairs = [...new Set([...before, ...resolved.repairs, "schema-unchecked"])];
  return { type: "call", name: resolved.name, arguments: text, repairs };
}

/** What is wrong with arguments that repeat the form they were to have: nobody means them. */
function unfilled({ text, node }: ValueAt): string | undefined {
  const blank = node.members.find(
    ({ value }) => value.kind === "string" && stringAt(text, value).trim() === PLACEHOLDER,
  );
  return blank && `must hold real values, and ${JSON.stringify(blank.key)} is still ${PLACEHOLDER}`;
}

/** Schema steps of one call, beside those that its text's length allows. */
const maxSteps = 10_000;
const stepsPerChar = 4;

/** Conversions on the way down to one value: a string in a string, then the value itself. */
const maxConversions = 3;

interface Refused {
  readonly candidate: CallCandidate;
  readonly context: FitContext;
  readonly tool?: string | undefined;
}

function refuse(
  code: "unknown-tool" | "invalid-arguments" | "ambiguous-call",
  message: string,
  refused: Refused,
): FitResult {
  const { candidate, context, tool } = refused;
  const callId = context.family === "native" ? candidate.id : undefined;
  return {
    type: "issue",
    issue: { code, message, family: context.family, at: context.at, raw: context.raw, tool, callId },
  };
}

function twofold({ name, ambiguous }: CallCandidate): string {
  return ambiguous === "name"
    ? `One call names two tools, ${visible(name)} and another: write one name.`
    : `The call of ${visible(name)} has its arguments twice, and they differ: write them once.`;
}

function unknownTool(name: string, tools: readonly ToolSpec[]): string {
  const offered = nameList(offerOf(tools).tools.keys(), tools.length);
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
