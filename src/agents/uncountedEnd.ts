// The end of a turn for which no model was asked: no attempt, no usage. Knows no run.
import type { TurnEnd } from "../core/events.ts";

export function uncountedEnd(finishReason: TurnEnd["finishReason"]): TurnEnd {
  return {
    type: "turn-end",
    finishReason,
    upstreamFinishReason: null,
    usagePartial: false,
    attempts: 0,
    retries: 0,
  };
}
