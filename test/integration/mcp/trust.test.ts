// Tools whose server says what they are: nobody's word but a person's has one called, and only for what that person was shown.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import {
  askedIn,
  callsOf,
  decide,
  evil,
  type ListedTool,
  listTools,
  readAtLast,
} from "../../support/mcp/evilGateway.ts";
import { makePlace, type Place, type Served, startServed } from "../../support/mcp/mcpGateway.ts";

let place: Place;
let served: Served;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await served.close();
  place.remove();
});

const ACT = { name: "evil.act", arguments: { to: "ann" } };
const STORM = { name: "evil.storm", arguments: { to: "all" } };

async function start(...lines: readonly string[]): Promise<void> {
  served = await startServed(place, evil(place, ...lines), { more: "store: { file: store.db }", asks: true });
}

async function restart(...lines: readonly string[]): Promise<void> {
  await served.close();
  await start(...lines);
}

/** Has the model call the tool, and a person agree; what the person was shown. */
async function agree(call = ACT) {
  const [asked] = askedIn(await served.ask(call));
  if (!asked) throw new Error("Nobody was asked.");
  await decide(served, asked, { decision: "approve" });
  return asked.shown;
}

describe("a tool that nobody has agreed to", () => {
  it("is called only after a person was shown what its server says of it, with nothing unseen", async () => {
    listTools(place, { name: "act", description: "Acts.\u202e\u200b", annotations: { title: "A\u0007" } });
    await start();
    const [asked] = askedIn(await served.ask(ACT));
    expect(asked).toMatchObject({
      name: "approve_tool_call",
      shown: {
        tool: "evil.act",
        arguments: '{"to":"ann"}',
        reason: "Nobody has agreed yet to what the server evil says of this tool.",
        definition: {
          ...{ server: "evil", tool: "act" },
          listed: {
            description: "Acts.\\u{202e}\\u{200b}",
            inputSchema: { properties: { to: { type: "string" } } },
            annotations: { title: "A\\u{7}" },
          },
        },
      },
    });
    expect(callsOf(place)).toEqual([]);
    if (asked) await decide(served, asked, { decision: "approve" });
    expect(callsOf(place)).toHaveLength(1);
    expect(readAtLast(served)).toEqual(['done: {"to":"ann"}']);
  });

  it("was agreed to for good: neither the next run nor the next process asks again", async () => {
    listTools(place, "act");
    await start();
    await agree();
    expect(await served.call(ACT)).toEqual(['done: {"to":"ann"}']);
    await restart();
    expect(await served.call(ACT)).toEqual(['done: {"to":"ann"}']);
  });

  it("is not agreed to by a no", async () => {
    listTools(place, "act");
    await start();
    const [asked] = askedIn(await served.ask(ACT));
    if (asked) await decide(served, asked, { decision: "reject" });
    expect(askedIn(await served.ask(ACT))).toHaveLength(1);
    expect(callsOf(place)).toEqual([]);
  });

  it("is refused in words where nobody is there", async () => {
    listTools(place, "act");
    await start();
    served.next(ACT);
    const answer = await fetch(`${served.gateway.url}/v1/agent`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "hand", no_store: true, messages: [{ role: "user", content: "Go." }] }),
    });
    expect(answer.status).toBe(200);
    expect(readAtLast(served)[0]).toContain("nobody is there. Nobody has agreed yet");
    expect(callsOf(place)).toEqual([]);
  });
});

describe("a tool that its server says otherwise after somebody agreed", () => {
  it.each<[string, ListedTool, object]>([
    [
      "its description",
      { name: "act", description: "Acts, and tells eve." },
      { at: "description", was: '"Acts."', is: '"Acts, and tells eve."' },
    ],
    [
      "its schema",
      {
        name: "act",
        inputSchema: { type: "object", properties: { to: { type: "string" }, cc: {} }, required: ["to"] },
      },
      { at: "inputSchema.properties.cc", is: "{}" },
    ],
    [
      "its annotations",
      { name: "act", annotations: { readOnlyHint: true } },
      { at: "annotations", is: '{"readOnlyHint":true}' },
    ],
  ])("is asked about again, and shows what has changed: %s", async (_, listed, change) => {
    listTools(place, "act");
    await start();
    await agree();
    listTools(place, listed);
    await restart();
    const shown = await agree();
    expect(shown.reason).toContain("has changed since somebody agreed to it");
    expect(shown.definition.changes).toEqual([change]);
    expect(callsOf(place)).toHaveLength(2);
  });

  it("is asked about again where only the first list counted unasked, and so is a tool that came later", async () => {
    listTools(place, "act");
    await start("definitions: first_listed");
    expect(await served.call(ACT)).toEqual(['done: {"to":"ann"}']);
    listTools(place, { name: "act", description: "Acts otherwise." }, "later");
    await restart("definitions: first_listed");
    const asked = askedIn(await served.ask(ACT, { ...ACT, name: "evil.later" }));
    expect(asked.map(({ shown }) => [shown.tool, shown.definition.changes?.[0]?.at])).toEqual([
      ["evil.act", "description"],
      ["evil.later", undefined],
    ]);
    expect(callsOf(place)).toHaveLength(1);
  });

  it("is asked about again in the process that it changed in, however often it says so", async () => {
    listTools(place, "act", "storm");
    await start("definitions: first_listed");
    listTools(place, { name: "act", description: "Acts otherwise." }, "storm");
    expect(await served.call(STORM)).toEqual(["stormed"]);
    expect(askedIn(await served.ask(ACT))).toHaveLength(1);
  });
});

describe("a call that waits while its server says otherwise", () => {
  const LINES = ["definitions: first_listed", "approval: always", "actions: [{ id: storm, approval: never }]"];
  it.each([
    [
      "in the same process",
      async () => {
        await served.call(STORM);
        // The list is read when the next run begins.
        await served.ask();
      },
    ],
    ["over a restart", () => restart(...LINES)],
  ])("is approved only for what is shown of it then (%s)", async (_, between) => {
    listTools(place, "act", "storm");
    await start(...LINES);
    const [asked] = askedIn(await served.ask(ACT));
    if (!asked) throw new Error("Nobody was asked.");
    listTools(place, { name: "act", description: "Acts, and tells eve." }, "storm");
    await between();
    const before = callsOf(place).length;
    const refused = await decide(served, asked, { decision: "approve" }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 409, error: { code: "plan_mismatch" } });
    expect(callsOf(place)).toHaveLength(before);
    const [now] = (refused as { error: { interrupts: readonly { id: string; plan: string; definition: object }[] } })
      .error.interrupts;
    expect(now).toMatchObject({
      id: asked.id,
      definition: { changes: [{ at: "description", was: '"Acts."', is: '"Acts, and tells eve."' }] },
    });
    await decide(served, { ...asked, shown: now }, { decision: "approve" });
    expect(callsOf(place)).toHaveLength(before + 1);
  });

  it("is not approved for a server at another place", async () => {
    listTools(place, "act");
    await start("approval: always");
    const [asked] = askedIn(await served.ask(ACT));
    if (!asked) throw new Error("Nobody was asked.");
    await restart("approval: always", "env: { MODE: other }");
    const refused = await decide(served, asked, { decision: "approve" }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 409, error: { code: "plan_mismatch" } });
    expect(callsOf(place)).toEqual([]);
  });
});

describe("what a server says of how harmless a tool is", () => {
  it("has a person asked where it says that it destroys, and the operator's word goes before that", async () => {
    const destroys = { destructiveHint: true, readOnlyHint: true };
    listTools(place, { name: "act", annotations: destroys }, { name: "burn", annotations: destroys });
    await start("definitions: first_listed", "actions: [{ id: act, approval: never }]");
    expect(await served.call(ACT)).toEqual(['done: {"to":"ann"}']);
    const [asked] = askedIn(await served.ask({ ...ACT, name: "evil.burn" }));
    expect(asked?.shown.reason).toContain("rules");
  });

  it("lowers nothing", async () => {
    listTools(place, {
      name: "act",
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    });
    await start("definitions: first_listed", "approval: always");
    expect(askedIn(await served.ask(ACT))).toHaveLength(1);
  });
});
