// `postel audit verify` names an effect that may not be repeated and began once more, where nobody decided so; and nothing that is right.
import { describe, expect, it } from "@jest/globals";
import type { AuditEvent } from "../../../../src/core/audit/audit.ts";
import type { Decision } from "../../../../src/core/runs/interrupts.ts";
import { ChainVerifier } from "../../../../src/stores/audit/ChainVerifier.ts";
import { chainEvents } from "../../../../src/stores/audit/hashChain.ts";

const RUN = { owner: "ada", run: "r1" };
const TEXT = { chars: 2 };

function began(callId: string, more: Partial<Extract<AuditEvent, { type: "tool-began" }>> = {}): AuditEvent {
  return { type: "tool-began", ...RUN, callId, tool: "pay", arguments: TEXT, once: true, ...more };
}

function ended(callId: string, outcome: "ok" | "waiting" = "ok"): AuditEvent {
  return { type: "tool-ended", ...RUN, callId, tool: "pay", outcome, ms: 1 };
}

function decided(callId: string, decision: Decision["type"], within?: string): AuditEvent {
  const call = { ...RUN, callId, tool: "pay", ...(within !== undefined && { within }) };
  return { type: "decided", ...call, by: "bob", interrupt: "i1", decision };
}

const lost = (callId: string): AuditEvent => ({ type: "tool-lost", ...RUN, callId, tool: "pay" });
const over = (outcome: "answered" | "awaiting-human"): AuditEvent => ({ type: "run-ended", ...RUN, outcome });

function faults(...events: readonly AuditEvent[]): readonly string[] {
  const check = new ChainVerifier();
  for (const entry of chainEvents(events, { head: undefined, at: 1 })) check.addEntry(entry);
  return check.report().faults.map(({ kind, seq }) => `${kind} ${seq}`);
}

describe("EffectVerifier", () => {
  it.each<[string, readonly AuditEvent[], readonly string[]]>([
    ["after a crash", [began("c"), lost("c"), began("c")], ["repeated 3"]],
    ["after its result", [began("c"), ended("c"), began("c")], ["repeated 3"]],
    ["three times", [began("c"), began("c"), began("c")], ["repeated 2", "repeated 3"]],
    ["after a person's no", [began("c"), decided("c", "reject"), began("c")], ["repeated 3"]],
    ["after a decision about another call", [began("c"), decided("d", "approve"), began("c")], ["repeated 3"]],
    ["after a decision in a run within", [began("c"), decided("c", "approve", "a"), began("c")], ["repeated 3"]],
    ["once more than was decided", [began("c"), decided("c", "approve"), began("c"), began("c")], ["repeated 4"]],
    ["while the run waits", [began("c"), over("awaiting-human"), began("c")], ["repeated 3"]],
    ["in a run within", [began("c", { within: "a" }), began("c", { within: "a" })], ["repeated 2"]],
  ])("names an effect that began again %s", (_, events, wanted) => {
    expect(faults(...events)).toEqual(wanted);
  });

  it.each<[string, readonly AuditEvent[]]>([
    ["a person approved it", [began("c"), lost("c"), decided("c", "approve"), began("c")]],
    ["a person changed its arguments", [began("c"), lost("c"), decided("c", "edit"), began("c")]],
    ["it asked a person for a form", [began("c"), ended("c", "waiting"), decided("c", "answer"), began("c")]],
    ["it may be repeated", [began("c", { once: undefined }), lost("c"), began("c", { once: undefined })]],
    ["it is another run's", [began("c"), began("c", { run: "r2" })]],
    ["it is another owner's", [began("c"), began("c", { owner: "bob" })]],
    ["it is that of a run within", [began("c"), began("c", { within: "a" }), began("c", { within: "b" })]],
    ["it is another call", [began("c"), began("d")]],
    ["the run of that id was over", [began("c"), over("answered"), began("c")]],
  ])("finds nothing wrong where %s", (_, events) => {
    expect(faults(...events)).toEqual([]);
  });
});
