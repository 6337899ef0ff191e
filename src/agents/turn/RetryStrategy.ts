// Decides if a model is asked again after an invalid answer, how often, and with which correction. Transport retries are made elsewhere.
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
  /** The format of a correction if the issue names none; absent: the field of the upstream wire. */
  readonly emulate?: string | undefined;
}

export type ReasonToAskAgain =
  | { readonly type: "format"; readonly issue: FormatIssue }
  | { readonly type: "output"; readonly reason: string };

/** Issues of a call that was announced or required and is not valid. */
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

  /** @param maxCorrections how often a model is asked again within one turn; 0 for never. */
  constructor(maxCorrections: number) {
    this.#maxCorrections = maxCorrections;
  }

  allows(attemptCount: number): boolean {
    return attemptCount < this.#maxCorrections;
  }

  /** The error of a result without a call; undefined if there is none. */
  reason(result: AttemptResult): ReasonToAskAgain | undefined {
    const issue = result.issues.find(({ code }) => isCallIssue(code));
    if (issue) return { type: "format", issue };
    return result.invalidOutput === undefined ? undefined : { type: "output", reason: result.invalidOutput };
  }

  /** The messages to append: the model's output, and the error. */
  correction(reason: ReasonToAskAgain, result: AttemptResult, context: CorrectionContext): readonly Message[] {
    if (reason.type === "output") return [...quoteBack(result.said), askForOutput(reason.reason, context.output)];
    // A correction names only the first error.
    if (result.refused.length > 0) return correctNativeCalls(result, context);
    const content = renderCorrection(reason.issue, {
      tools: context.tools,
      emulate: reason.issue.family ?? context.emulate,
    });
    return [...quoteBack(result.said), { role: "user", content }];
  }
}

/** Returns true if a call was announced by a format's own marker or by the wire, or was required, and is not valid. */
export function isCallIssue(code: FormatIssueCode): boolean {
  return CALL_FAULTS.has(code);
}

function quoteBack(answer: string): readonly Message[] {
  // Several upstreams refuse an empty assistant message.
  return answer.trim() === "" ? [] : [{ role: "assistant", content: answer }];
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

/** Quotes arguments that a history cannot contain in the text of the result. */
function nativeCorrection(call: RefusedCall, context: CorrectionContext): string {
  const correctionText = renderCorrection(call.issue, context);
  return isObjectText(call.arguments)
    ? correctionText
    : `${correctionText}\n\nYou wrote: ${call.arguments.slice(0, QUOTED)}`;
}
