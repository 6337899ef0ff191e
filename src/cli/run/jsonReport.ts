// Builds the JSON object of `--json` for an ended or waiting run.
import type { Collected } from "../../core/events/Collector.ts";
import { joinAnswerText } from "../../core/events/refusals.ts";
import type { Failure } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import { buildOutputField } from "../../server/apis/chatCompletions/completion.ts";
import { toInterruptJson } from "../../server/messages/interruptJson.ts";
import { buildPostelBlock } from "../../server/messages/postelBlock.ts";
import type { RunCall } from "./RunCallLog.ts";

export interface ReportedRun {
  readonly collected: Collected;
  /** Subject of the run: `{agent}` or `{workflow}`. */
  readonly runFields: JsonObject;
  readonly calls: readonly RunCall[];
  /** Open interrupts. */
  readonly open: readonly Interrupt[];
}

/** The fields of the `postel` block, with the answer and the calls of the run. */
export function buildJsonReport({ collected, runFields, calls, open }: ReportedRun, redact: Redact): JsonObject {
  const { outcome = "failed", response, failure } = collected;
  return {
    answer: joinAnswerText(collected) || null,
    ...runFields,
    ...buildPostelBlock(collected, false),
    outcome,
    ...buildOutputField(collected),
    ...(response !== undefined && { response }),
    calls: calls.map((call) => reportedCall(call, redact)),
    ...(open.length > 0 && { interrupts: open.map(toInterruptJson) }),
    ...(failure && { failure: reportedFailure(failure) }),
  };
}

/** Report of a failure before there was a run. */
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
