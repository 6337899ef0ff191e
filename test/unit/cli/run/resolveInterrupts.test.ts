// What `--yes` agrees to, and what becomes of everything else where somebody is there and where nobody is.
import { describe, expect, it } from "@jest/globals";
import { decideOpen } from "../../../../src/cli/run/resolveInterrupts.ts";
import type { InterruptRecord } from "../../../../src/core/runs/interrupts.ts";
import { approval, interrupt, PLAN } from "../../../support/interrupts.ts";
import { ScriptedPerson } from "../../../support/ScriptedPerson.ts";

const { hash } = PLAN;
const shown = { server: "papers", tool: "find", listed: { description: "Finds." } };
const changes = [{ at: "description", was: '"Finds."', is: '"Finds all."' }];

const HARMLESS = approval();
/** What nobody may have agreed to before it was known. */
const HELD: readonly (readonly [string, InterruptRecord])[] = [
  ["a dangerous call", approval({ danger: "it empties the table orders" })],
  ["a dangerous call that a person has edited", approval({ danger: "it empties the table", edited: true })],
  ["a tool that nobody has agreed to", approval({ definition: shown })],
  ["a tool that is no longer what was agreed to", approval({ definition: { ...shown, changes } })],
  [
    "a call that a stranger's text may have asked for",
    approval({ untrusted: true }, { reason: "It has read a page." }),
  ],
  ["a call that was asked about before such marks were kept", approval({}, { agent: undefined })],
  ["a call that may have run", { ...approval(), type: "unknown-outcome" }],
  ["a kind of plan that is not known here", { ...approval(), type: "spends" }],
];
const QUESTIONS: readonly (readonly [string, InterruptRecord])[] = [
  ["a question", interrupt({ type: "clarify", options: ["a", "b"] })],
  ["a tool's own need", interrupt({ type: "no_results" })],
  ["a form", interrupt({ form: { type: "object", properties: { size: { type: "string" } } } })],
  ["an approval of nothing", interrupt({ type: "approval" })],
];

async function decided(open: readonly InterruptRecord[], yes: boolean, person?: ScriptedPerson) {
  const said: string[] = [];
  const given = await decideOpen(open, { yes, person, say: (line) => said.push(line) });
  return { decisions: given?.map(({ decision }) => decision), by: given?.map(({ decidedBy }) => decidedBy.name), said };
}

describe("resolveInterrupts: --yes", () => {
  it("agrees to a call that only a policy holds, and says the very call", async () => {
    const { decisions, by, said } = await decided([HARMLESS], true);
    expect(decisions).toEqual([{ type: "approve", plan: hash }]);
    expect(by).toEqual(["local --yes"]);
    expect(said).toEqual([`approved by --yes: ${HARMLESS.question} ${PLAN.tool} ${PLAN.arguments}`]);
  });

  it.each(HELD)(
    "never agrees to %s: where nobody is there it is refused, and the model is told why",
    async (_what, held) => {
      const { decisions, said } = await decided([held], true);
      const reason = expect.stringContaining("nobody is there");
      expect(decisions).toEqual([{ type: "reject", plan: hash, reason, dryRun: true }]);
      expect(said).toEqual([expect.stringContaining(PLAN.arguments)]);
    },
  );

  it.each(HELD)("leaves %s to whoever is there", async (_what, held) => {
    const person = new ScriptedPerson(undefined);
    expect((await decided([HARMLESS, held], true, person)).decisions).toBeUndefined();
    expect(person.asked).toHaveLength(1);
  });

  it.each(QUESTIONS)("answers %s with nothing", async (_what, question) => {
    expect((await decided([question], true)).decisions).toEqual([{ type: "cancel" }]);
  });

  it("has nothing run where whoever is there leaves without a word", async () => {
    const { decisions, said } = await decided(
      [HARMLESS, approval({ danger: "why" })],
      true,
      new ScriptedPerson(undefined),
    );
    expect([decisions, said]).toEqual([undefined, []]);
  });
});

describe("resolveInterrupts: without --yes", () => {
  it.each([["a harmless call", HARMLESS] as const, ...HELD, ...QUESTIONS])(
    "%s waits where nobody is there",
    async (_what, one) => {
      expect(await decided([one], false)).toMatchObject({ decisions: undefined, said: [] });
    },
  );

  it("whoever is there is asked about everything", async () => {
    const person = new ScriptedPerson("Approve", "Reject", "");
    const { decisions, by } = await decided([HARMLESS, approval({ danger: "why" })], false, person);
    expect(by).toEqual(["local", "local"]);
    expect(decisions).toEqual([
      { type: "approve", plan: hash },
      { type: "reject", plan: hash },
    ]);
  });
});
