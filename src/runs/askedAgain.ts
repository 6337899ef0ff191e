// What a run waits for, told once more to whoever comes back to it. Decides nothing.
import { askingCall } from "../agents/interruptOf.ts";
import { uncountedEnd } from "../agents/uncountedEnd.ts";
import type { RunEvent } from "../core/events.ts";
import type { Interrupt } from "../core/interrupts.ts";

export function askedAgain(open: readonly Interrupt[], turns: number): readonly RunEvent[] {
  const asked = open.flatMap((interrupt): RunEvent[] => [
    { type: "interrupt", interrupt },
    { type: "tool-call", call: askingCall(interrupt) },
  ]);
  return [...asked, uncountedEnd("tool_calls"), { type: "run-end", outcome: "awaiting-human", turns }];
}
