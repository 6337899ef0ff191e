// A run that is over, or waits, as the one object of `--json`. Writes nothing.
import type { Collected } from "../../core/collect.ts";
import type { Failure } from "../../core/failures.ts";
import type { Interrupt } from "../../core/interrupts.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import { answerWords } from "../../core/refusalIn.ts";
import { postelBlock } from "../../server/postelBlock.ts";
import { wireInterrupt } from "../../server/wireInterrupt.ts";
import { outputField } from "../../server/wires/chatCompletions/completion.ts";
import type { RunCall } from "../RunCalls.ts";

export interface ReportedRun {
  readonly collected: Collected;
  /** Whose run it was: `{agent}` or `{workflow}`. */
  readonly of: JsonObject;
  readonly calls: readonly RunCall[];
  /** What it waits for. */
  readonly open: readonly Interrupt[];
}

/** The fields of the `postel` block, and beside them what the run said and did. */
export function reportOf({ collected, of, calls, open }: ReportedRun, redact: Redact): JsonObject {
  const { outcome = "failed", response, failure } = collected;
  return {
    answer: answerWords(collected) || null,
    ...of,
    ...postelBlock(collected, false),
    outcome,
    ...outputField(collected),
    ...(response !== undefined && { response }),
    calls: calls.map((call) => reportedCall(call, redact)),
    ...(open.length > 0 && { interrupts: open.map(wireInterrupt) }),
    ...(failure && { failure: reportedFailure(failure) }),
  };
}

/** Of what failed before there was a run. */
export function reportOfFailure(failure: Failure): JsonObject {
  return { answer: null, outcome: "failed", calls: [], failure: reportedFailure(failure) };
}

function reportedCall({ name, arguments: args, origin, agent, ms, isError }: RunCall, redact: Redact): JsonObject {
  return {
    name,
    ...(args !== undefined && { arguments: redact(args) }),
    ...(origin !== undefined && { origin }),
    ...(agent !== undefined && { agent }),
    ...(ms !== undefined && { ms: Math.round(ms) }),
    ...(isError !== undefined && { is_error: isError }),
  };
}

function reportedFailure({ code, message }: Failure): JsonObject {
  return { code, message };
}
