// Calls that needed a person's decision and began without one: named by their entry, whoever wrote the store that let them run.
import { describe, expect, it } from "@jest/globals";
import type { AuditEvent } from "../../../../src/core/audit/audit.ts";
import { ChainVerifier } from "../../../../src/stores/audit/ChainVerifier.ts";
import { chainEvents } from "../../../../src/stores/audit/hashChain.ts";

const CALL = { owner: "ada", run: "r1", callId: "c1", tool: "pay" } as const;
const began = (more: object = {}): AuditEvent => ({
  ...{ ...CALL, type: "tool-began", arguments: { chars: 2 }, approval: true },
  ...more,
});
const decided = (more: object = {}): AuditEvent => ({
  ...{ ...CALL, type: "decided", by: "boss", interrupt: "i1", decision: "approve" },
  ...more,
});

function faults(events: readonly AuditEvent[], from = 0): readonly string[] {
  const check = new ChainVerifier({ isPart: from > 0 });
  for (const entry of chainEvents(events, { head: undefined, at: 1 }).slice(from)) check.addEntry(entry);
  return check.report().faults.map(({ kind, seq }) => `${kind} ${seq}`);
}

describe("ApprovalVerifier", () => {
  it.each<[string, readonly AuditEvent[]]>([
    ["is approved", [decided(), began()]],
    ["is approved with other arguments", [decided({ decision: "edit" }), began()]],
    ["goes on with an answer", [decided({ decision: "answer" }), began()]],
    ["begins once more after it was approved", [decided(), began(), began()]],
    ["is under no approval", [began({ approval: undefined })]],
    ["is of a run within the run", [decided({ within: "c0" }), began({ within: "c0" })]],
  ])("finds a record sound in which a call %s", (_what, events) => {
    expect(faults(events)).toEqual([]);
  });

  it.each<[string, readonly AuditEvent[], string]>([
    ["that nobody decided about", [began()], "undecided 1"],
    ["that was approved afterwards", [began(), decided()], "undecided 1"],
    ["that was rejected", [decided({ decision: "reject" }), began()], "undecided 2"],
    ["of another run than the approved one", [decided({ run: "r2" }), began()], "undecided 2"],
    ["of another owner", [decided({ owner: "bob" }), began()], "undecided 2"],
    ["beside the approved one", [decided({ callId: "c2" }), began()], "undecided 2"],
    ["of a run within, where the run around it was decided about", [decided(), began({ within: "c0" })], "undecided 2"],
  ])("names a call %s", (_what, events, fault) => {
    expect(faults(events)).toEqual([fault]);
  });

  it("names none in a part of a record, whose beginning may have the decision", () => {
    expect(faults([decided(), began()], 1)).toEqual([]);
  });
});
