// What a person says of what waits, and that nothing counts as said that was not.
import { describe, expect, it } from "@jest/globals";
import { decideAll } from "../../../../src/cli/prompts/decideAll.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { approval, interrupt, PLAN } from "../../../support/interrupts.ts";
import { ScriptedPerson } from "../../../support/ScriptedPerson.ts";

const { hash } = PLAN;
/** Invisible, turned around, drawn as nothing, and beyond the first plane. */
const HIDDEN = "a\u202eb\u200bc\u3164d\u00a0e\u{e0041}";

async function decided(open: Parameters<typeof decideAll>[0][number], ...answers: (string | undefined)[]) {
  const person = new ScriptedPerson(...answers);
  const given = await decideAll([open], person);
  expect(person.left).toBe(0);
  return { decision: given?.[0]?.decision, person, shown: person.shown.map(({ text }) => text).join("\n") };
}

describe("a question", () => {
  it("is answered with the option's own text, or with other words where they are allowed", async () => {
    const options = ["red", "Something else"];
    const one = await decided(interrupt({ options }), "red");
    expect(one.decision).toEqual({ type: "answer", response: "red" });
    const other = interrupt({ options: ["red", "green"], allowOther: true });
    expect((await decided(other, "Something else", "blue")).decision).toEqual({ type: "answer", response: "blue" });
    // A model's option of that name is an option as any other.
    const same = await decided(interrupt({ options }), "Something else");
    expect(same.decision).toEqual({ type: "answer", response: "Something else" });
  });
});

describe("a call that needs leave", () => {
  it("is approved, rejected with and without a reason, and by its own plan alone", async () => {
    expect((await decided(approval(), "Approve")).decision).toEqual({ type: "approve", plan: hash });
    expect((await decided(approval(), "Reject", "")).decision).toEqual({ type: "reject", plan: hash });
    const reason = "too much";
    expect((await decided(approval(), "Reject", reason)).decision).toEqual({ type: "reject", plan: hash, reason });
  });

  it("has nothing in the first place that would run anything, dangerous or not", async () => {
    for (const one of [approval(), approval({ danger: "deletes everything" })]) {
      const { person, decision } = await decided(one, undefined);
      expect(decision).toBeUndefined();
      expect(person.asked[0]).toMatchObject({
        options: [/^Reject/, /^Edit/, /^Approve/].map((label) => expect.stringMatching(label)),
      });
    }
  });

  it("is shown to the character: big numbers, equal keys, and what nobody sees as JSON's own escapes", async () => {
    const args = `{"n":12345678901234567890,"n":1.50,"text":${JSON.stringify(HIDDEN)},"none":{},"list":[1, {"a":[]}]}`;
    const { shown } = await decided(approval({ arguments: args, danger: "why" }), undefined);
    expect(shown).toContain('"n": 12345678901234567890,\n  "n": 1.50,');
    expect(shown).toContain('"a\\u202eb\\u200bc\\u3164d\\u00a0e\\udb40\\udc41"');
    expect(shown).toContain('"none": {},\n  "list": [\n    1,\n    {\n      "a": []\n    }\n  ]\n}');
  });

  it("cannot be approved before all of it was shown, and says how much is missing", async () => {
    const long = approval({ arguments: JSON.stringify({ text: "x".repeat(100_000) }) });
    const { person, decision } = await decided(long, "Show all", "Approve");
    expect(decision).toEqual({ type: "approve", plan: hash });
    expect(person.shown[0]?.text).toMatch(/… 96,\d{3} characters more$/);
    expect(person.shown[1]?.text).toContain("x".repeat(100_000));
    const options = person.asked.map((asked) => ("options" in asked ? asked.options.join() : ""));
    expect(options[0]).not.toContain("Approve");
    expect(options[1]).toContain("Approve");
  });

  it("shows why it is dangerous apart, and what a server says of its tool", async () => {
    const listed = { description: "Removes\u200b it." };
    const plan = { danger: "It removes all.", definition: { server: "files", tool: "remove", listed } };
    const { person, shown } = await decided(
      approval(plan, { reason: "Nobody has agreed yet.", agent: "clerk" }),
      undefined,
    );
    expect(person.shown.at(-1)).toEqual({ title: "Dangerous", text: "It removes all.", danger: true });
    expect(shown).toContain("the server files says of its tool remove:");
    expect(shown).toContain("Removes\\u200b it.");
    expect(shown).toContain("Nobody has agreed yet.");
    expect(shown).toContain("The agent clerk asks.");
  });

  it("is edited by JSON that says something else, and is asked again with what is wrong until then", async () => {
    const ways = ["no json", "[1]", '{ "path": "notes.txt" }', '{"path": 12345678901234567890}', '{"path": "b"}'];
    const { decision, person } = await decided(approval(), "Edit", ...ways);
    expect(decision).toEqual({ type: "edit", plan: hash, arguments: { path: "b" } });
    const faults = person.shown.slice(1).map(({ text }) => text);
    expect(faults).toEqual([
      expect.stringContaining("no JSON object"),
      expect.stringContaining("no JSON object"),
      expect.stringContaining("Nothing is changed"),
      expect.stringContaining("more digits"),
    ]);
  });

  it("is chosen about again where the person goes back from an edit or a reason", async () => {
    const { decision } = await decided(approval(), "Edit", undefined, "Reject", undefined, "Approve");
    expect(decision).toEqual({ type: "approve", plan: hash });
  });

  it("whose outcome is unknown is asked about in words that say what is at stake", async () => {
    const unknown = approval({}, { type: "unknown-outcome", question: "Run it again?" });
    const { person } = await decided(unknown, "Run it again");
    expect(person.asked[0]).toMatchObject({
      options: [expect.stringContaining("not made up for"), expect.stringContaining("has it twice")],
    });
  });
});

describe("a form", () => {
  const form: JsonObject = {
    type: "object",
    properties: {
      name: { type: "string", title: "Your name" },
      age: { type: "integer", minimum: 18 },
      height: { type: "number" },
      adult: { type: "boolean" },
      colour: { type: "string", enum: ["red", "green"] },
      note: { type: "string" },
    },
    required: ["name", "age", "height", "adult", "colour"],
  };

  it("is filled in field by field, each by its kind, and again where it does not fit", async () => {
    const first = ["Fill it in", "Ada", "twelve", "12", "1.75", "Yes", "green", ""];
    const second = ["Fill it in", "Ada", "36", "1.75", "No", "red", "hello"];
    const { decision, shown } = await decided(interrupt({ form }), ...first, ...second);
    expect(shown).toContain('"twelve" is not a whole number');
    expect(shown).toContain("18");
    const response = JSON.stringify({ name: "Ada", age: 36, height: 1.75, adult: false, colour: "red", note: "hello" });
    expect(decision).toEqual({ type: "answer", response });
  });

  it("can be declined, and left without a word", async () => {
    expect((await decided(interrupt({ form }), "Decline")).decision).toEqual({ type: "cancel" });
    expect((await decided(interrupt({ form }), "Fill it in", "Ada", undefined)).decision).toBeUndefined();
  });

  it("that is not flat is answered as JSON", async () => {
    const nested: JsonObject = { type: "object", properties: { list: { type: "array", items: { type: "string" } } } };
    const { decision, shown } = await decided(
      interrupt({ form: nested }),
      "Fill it in",
      "nothing",
      "Fill it in",
      '{"list": ["a"]}',
    );
    expect(decision).toEqual({ type: "answer", response: '{"list": ["a"]}' });
    expect(shown).toContain('"list" must be array');
  });
});

describe("several at once", () => {
  it("come one after the other, each with its place, and none is decided where the person leaves at the last", async () => {
    const open = [interrupt({ id: "one" }), approval({}, { id: "two" })];
    const all = new ScriptedPerson("blue", "Approve");
    expect(await decideAll(open, all)).toEqual([
      { id: "one", decision: { type: "answer", response: "blue" } },
      { id: "two", decision: { type: "approve", plan: hash } },
    ]);
    expect(all.asked[0]?.message).toContain("(1 of 2)");
    expect(all.shown[0]?.title).toContain("(2 of 2)");
    expect(await decideAll(open, new ScriptedPerson("blue", undefined))).toBeUndefined();
  });
});
