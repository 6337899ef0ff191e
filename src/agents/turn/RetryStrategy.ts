// When a model is asked again, how often, and in what words. Asks nobody itself; transport retries are the network's.
import type { FormatIssue, FormatIssueCode } from "../../core/events/issues.ts";
import { isObjectText } from "../../core/json/jsonObjectText.ts";
import type { Message, ToolSpec } from "../../core/messages.ts";
import type { OutputFormat } from "../../core/requests.ts";
import type { AttemptResult, RefusedCall } from "../../core/runs/RunState.ts";
import { renderCorrection } from "../../formats/prompts/renderCorrection.ts";
import { toHistoryCall, toLegalName } from "../history/rejectedCalls.ts";
import { describeOutput } from "../prompting/outputInstructions.ts";

export interface CorrectionContext {
  readonly tools: readonly ToolSpec[];
  readonly output: OutputFormat;
  /** The family in whose format a correction is written where the issue does not say its own; absent: the wire's own field. */
  readonly emulate?: string | undefined;
}

export type ReasonToAskAgain =
  | { readonly type: "format"; readonly issue: FormatIssue }
  | { readonly type: "output"; readonly reason: string };

/** A call was announced or demanded, and none that may leave came of it. */
const CALL_FAULTS: ReadonlySet<FormatIssueCode> = new Set([
  "malformed-call",
  "truncated-call",
  "unknown-tool",
  "invalid-arguments",
  "ambiguous-call",
  "missing-call",
]);

/** UTF-16 units of unreadable arguments that a correction quotes. */
const QUOTED = 500;

export class RetryStrategy {
  readonly #maxCorrections: number;

  /** @param maxCorrections how often a model is asked again within one turn, 0 for never. */
  constructor(maxCorrections: number) {
    this.#maxCorrections = maxCorrections;
  }

  allows(asked: number): boolean {
    return asked < this.#maxCorrections;
  }

  /** What is wrong with a result that has no call; undefined where nothing is. */
  reason(result: AttemptResult): ReasonToAskAgain | undefined {
    const issue = result.issues.find(({ code }) => isCallIssue(code));
    if (issue) return { type: "format", issue };
    return result.invalidOutput === undefined ? undefined : { type: "output", reason: result.invalidOutput };
  }

  /** What is added to the conversation: what the model said, and what was wrong with it. */
  correction(reason: ReasonToAskAgain, result: AttemptResult, context: CorrectionContext): readonly Message[] {
    if (reason.type === "output") return [...quoteBack(result.said), askForOutput(reason.reason, context.output)];
    // A format that failed is not taught again by another failure's words: one correction names the first fault.
    if (result.refused.length > 0) return correctNativeCalls(result, context);
    const content = renderCorrection(reason.issue, {
      tools: context.tools,
      emulate: reason.issue.family ?? context.emulate,
    });
    return [...quoteBack(result.said), { role: "user", content }];
  }
}

/** True where a call was announced by a family's own mark or by the wire, or demanded, and could not be taken. */
export function isCallIssue(code: FormatIssueCode): boolean {
  return CALL_FAULTS.has(code);
}

function quoteBack(said: string): readonly Message[] {
  // An empty assistant message is refused by several upstreams.
  return said.trim() === "" ? [] : [{ role: "assistant", content: said }];
}

function askForOutput(reason: string, output: OutputFormat): Message {
  const demand = describeOutput(output) ?? "";
  return { role: "user", content: `Your answer does not have the form that was asked for: ${reason}.\n\n${demand}` };
}

function correctNativeCalls(result: AttemptResult, context: CorrectionContext): readonly Message[] {
  const { said, refused, beside } = result;
  const content = said.trim() === "" ? null : said;
  return [
    { role: "assistant", content, ...beside, toolCalls: refused.map(toHistoryCall) },
    ...refused.map(
      (call): Message => ({
        role: "tool",
        toolCallId: call.id,
        name: toLegalName(call.name),
        content: nativeCorrection(call, context),
        isFromGateway: true,
      }),
    ),
  ];
}

/** Arguments that no history can show stand in the result's text instead. */
function nativeCorrection(call: RefusedCall, context: CorrectionContext): string {
  const words = renderCorrection(call.issue, context);
  return isObjectText(call.arguments) ? words : `${words}\n\nYou wrote: ${call.arguments.slice(0, QUOTED)}`;
}
