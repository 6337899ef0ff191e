// What a run waits for, told once more to whoever comes back to it. Decides nothing.
import { askingCall } from "../agents/interruptOf.ts";
import type { RunEvent } from "../core/events.ts";
import type { Interrupt } from "../core/interrupts.ts";

/** No model was asked for it, so its turn counts no attempt and no tokens. */
export function askedAgain(open: readonly Interrupt[], turns: number): readonly RunEvent[] {
  const asked = open.flatMap((interrupt): RunEvent[] => [
    { type: "interrupt", interrupt },
    { type: "tool-call", call: askingCall(interrupt) },
  ]);
  const end = {
    finishReason: "tool_calls",
    upstreamFinishReason: null,
    usagePartial: false,
    attempts: 0,
    retries: 0,
  } as const;
  return [...asked, { type: "turn-end", ...end }, { type: "run-end", outcome: "awaiting-human", turns }];
}
