// Interrupts for tests: one of each kind, open.
import type { InterruptRecord, Plan } from "../../src/core/runs/interrupts.ts";

export const PLAN: Plan = { tool: "remove", arguments: '{"path":"notes.txt"}', hash: "a".repeat(64) };

export function interrupt(some: Partial<InterruptRecord> = {}): InterruptRecord {
  return {
    ...{ id: "abcdefghi", run: "run-1", agent: "helper", owner: "local", status: "open" },
    ...{ createdAt: 0, expiresAt: 1e15 },
    ...{ type: "clarify", question: "Which colour?" },
    call: { id: "call_1", name: "ask", arguments: "{}", origin: "native", repairs: [], raw: "" },
    ...some,
  };
}

export function approval(plan: Partial<Plan> = {}, some: Partial<InterruptRecord> = {}): InterruptRecord {
  const question = "May remove be called with these arguments?";
  return interrupt({ type: "approval", question, plan: { ...PLAN, ...plan }, ...some });
}
