// `postel runs` and `postel sessions`: what ran and what was said, read from the store of a gateway that goes on meanwhile; nothing is changed by it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { HOSTILE, startWorld, type World } from "../../../support/cli/listWorld.ts";
import { runPostel } from "../../../support/cli/runPostel.ts";

/** Of `HOSTILE`, in one line. */
const HARMLESS = "evil\\u001b[2J\\u001b]0;owned\\u0007 forged line\\u202e";

let world: World;
let answered: string;
let waiting: string;
let interrupt: string;
beforeEach(async () => {
  world = await startWorld("native");
  world.gateway.script = [{ calls: [["shop.price", {}]] }, `Fine. ${HOSTILE}`, { calls: [["shop.refund", {}]] }];
  answered = (await ask(`What is the price? ${HOSTILE}`, "tea")).postel.run_id;
  const { postel, choices } = await ask("Refund it.", "refunds");
  waiting = postel.run_id;
  interrupt = choices[0].message.tool_calls[0].id;
});
afterEach(() => world.close());

async function ask(content: string, session: string) {
  const { body } = await world.gateway.ask({
    agent: "clerk",
    messages: [{ role: "user", content }],
    session_id: session,
  });
  return body;
}

const linesOf = (out: string) => out.trimEnd().split("\n");
const cellsOf = (out: string) => linesOf(out).map((line) => line.trim().split(/ {2,}/));
const dump = () => {
  const database = new DatabaseSync(join(world.folder, "kept.db"), { readOnly: true });
  const tables = ["runs", "run_states", "run_calls", "run_events", "interrupts", "sessions", "session_messages"];
  const rows = tables.map((table) => database.prepare(`select * from ${table}`).all());
  database.close();
  return rows;
};

describe("postel runs", () => {
  it("lists what ran, the youngest first, with what it used and what goes on or waits", async () => {
    const held = Promise.withResolvers<() => void>();
    world.gateway.script = [(response) => held.resolve(() => response.end())];
    const going = ask("And now?", "later");
    const end = await held.promise;
    const { status, out, err } = await world.postel("runs");
    expect([status, err]).toEqual([0, ""]);
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    const some = expect.stringMatching(/^\d/);
    expect(cellsOf(out)).toEqual([
      ["run", "status", "began", "agent", "took", "turns", "calls", "tokens", "money", "session"],
      [expect.stringMatching(/^[0-9a-f]{32}$/), "goes on", moment, "clerk", some, "later"],
      [waiting, "waits", moment, "clerk", some, "1", "0", some, some, "refunds"],
      [answered, "answered", moment, "clerk", some, "2", "1", some, some, "tea"],
    ]);
    const id = cellsOf(out)[1]?.[0] ?? "";
    expect(await world.postel("runs", id)).toMatchObject({ status: 0, err: "It goes on now.\n" });
    const only = JSON.parse((await world.postel("runs", "--status", "waiting", "--session", "refunds", "--json")).out);
    expect(only.runs).toEqual([expect.objectContaining({ id: waiting, session_id: "refunds", turns: 1 })]);
    end();
    await going;
  });

  it("tells what a run did, in lines that its model cannot forge, and all of it as data", async () => {
    const { status, out, err } = await world.postel("runs", answered);
    expect([status, err]).toEqual([0, ""]);
    expect(cellsOf(out)).toEqual(
      expect.arrayContaining([
        ["agent", "clerk"],
        ["status", "answered"],
        ["spent", expect.stringMatching(/^2 turns, 1 call, \d+ tokens, 0\.\d+$/)],
        ["asked", `What is the price? ${HARMLESS}`],
        ["turn 1", "m, native"],
        ["calls", "shop.price {}"],
        ["got", 'shop.price: {"ok":true}'],
        ["says", `Fine. ${HARMLESS}`],
      ]),
    );
    const whole = JSON.parse((await world.postel("runs", answered, "--json")).out);
    expect(whole).toMatchObject({ id: answered, outcome: "answered", model: "m", turns: 2 });
    expect(whole.steps).toContainEqual({ type: "says", text: `Fine. ${HOSTILE}` });
    const events = linesOf((await world.postel("runs", answered, "--events")).out).map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1).event).toMatchObject({ type: "run-end", outcome: "answered" });
  });

  it("says what a run waits for and how to decide, and who decided what", async () => {
    const before = await world.postel("runs", waiting);
    expect(before.out).toMatch(/^ {2}asks +approval of shop\.refund \{\}$/m);
    expect(before.out).toMatch(/^ {2}because +The agent's rules say /m);
    expect(before.out).toMatch(/^ {2}decided +not yet; until /m);
    expect(before.err).toContain(
      `postel chat --session refunds ${world.flags.join(" ")}, or POST /v1/agent/runs/${waiting}/interrupts/${interrupt}`,
    );
    const { plan } = JSON.parse((await world.postel("runs", waiting, "--json")).out).interrupts[0];
    world.gateway.script = ["So be it."];
    const response = await fetch(`${world.gateway.url}/v1/agent/runs/${waiting}/interrupts/${interrupt}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "reject", plan, reason: "Too late." }),
    });
    expect(response.status).toBe(200);
    const after = await world.postel("runs", waiting);
    expect(after.out).toMatch(/^ {2}decided +no: Too late\. \(local, \d{4}-/m);
  });

  it("says how a run goes on whose process has ended", async () => {
    const database = new DatabaseSync(join(world.folder, "kept.db"));
    database.prepare("update runs set status = 'running', holder = null, held_until = 0 where id = ?").run(answered);
    database.close();
    // The gateway may have found it meanwhile and called it stuck: the way on is the same.
    const { status, err } = await world.postel("runs", answered);
    expect([status, err]).toEqual([
      0,
      expect.stringContaining(
        `postel run --resume ${answered} ${world.flags.join(" ")}, or POST /v1/agent/runs/${answered}/resume`,
      ),
    ]);
  });

  it("changes nothing by looking, not even where a state is damaged, which it says", async () => {
    const database = new DatabaseSync(join(world.folder, "kept.db"));
    database.prepare("update run_states set state = 'damaged' where run = ?").run(waiting);
    database.close();
    const before = dump();
    const { status, out, err } = await world.postel("runs", waiting);
    expect([status, err]).toEqual([0, expect.stringContaining("damaged")]);
    expect(out).toMatch(/^ {2}asks +approval of shop\.refund/m);
    for (const args of [["runs"], ["sessions", "refunds"]]) await world.postel(...args);
    expect(dump()).toEqual(before);
  });

  it("says in a sentence where there is none, and of whom", async () => {
    const none = await world.postel("runs", "--owner", "eve");
    expect(none).toMatchObject({
      status: 0,
      out: "",
      err: expect.stringMatching(/^No run is kept of the owner eve in /),
    });
    const unknown = await world.postel("runs", "no\u001bne");
    expect(unknown).toMatchObject({
      status: 1,
      out: "",
      err: expect.stringContaining('no run "no\\u001bne" of the owner'),
    });
    const file = join(world.folder, "keys.yaml");
    writeFileSync(
      file,
      `${readFileSync(join(world.folder, "postel.yaml"), "utf8")}\nserver: { api_keys: [{ name: ada, key: sk-0123456789 }] }\n`,
    );
    const keyed = await runPostel(["runs", "--owner", "eve", "--config", file], "", world.env);
    expect(keyed).toMatchObject({ status: 0, err: expect.stringContaining("; --owner takes ada.") });
    const missing = await world.postel("sessions", "--store", join(world.folder, "none.db"));
    expect(missing).toMatchObject({ status: 1, err: expect.stringContaining("none.db is not there") });
  });
});

describe("postel sessions", () => {
  it("lists conversations with their first words and what they wait for", async () => {
    const { status, out, err } = await world.postel("sessions");
    expect([status, err]).toEqual([0, ""]);
    expect(cellsOf(out).map(([id, , ...rest]) => [id, ...rest])).toEqual([
      ["session", "began with", "waits for", "messages", "mode", "agent"],
      ["refunds", "Refund it.", "approval of shop.refund", "1", "agent", "clerk"],
      ["tea", `What is the price? ${HARMLESS}`, "2", "agent", "clerk"],
    ]);
    const first = await world.postel("sessions", "--json", "--most", "1");
    expect(first.err).toBe("There are more than 1; --most takes another number.\n");
    const { sessions } = JSON.parse(first.out);
    expect(sessions).toEqual([expect.objectContaining({ id: "refunds", waits_for: "approval of shop.refund" })]);
  });

  it("shows a conversation in which nobody's words can be taken for another's", async () => {
    const { status, out } = await world.postel("sessions", "tea");
    expect(status).toBe(0);
    expect(
      linesOf(out)
        .filter((line) => /^\S/.test(line))
        .slice(-2),
    ).toEqual(["user", "assistant"]);
    expect(out).toContain("  forged\tline\\u202e\n\nassistant\n  Fine. evil\\u001b[2J");
    const { messages } = JSON.parse((await world.postel("sessions", "tea", "--json")).out);
    expect(messages[1]).toEqual({ role: "assistant", content: `Fine. ${HOSTILE}` });
    expect((await world.postel("sessions", "refunds")).err).toContain(`postel runs ${waiting}`);
    expect(await world.postel("sessions", "none")).toMatchObject({ status: 1, out: "" });
  });
});

describe("what a chat has kept where nobody named a store", () => {
  it("is found by the lists", async () => {
    const file = join(world.folder, "storeless.yaml");
    writeFileSync(file, readFileSync(join(world.folder, "postel.yaml"), "utf8").replace(/^store:.*$/m, ""));
    const env = { ...world.env, XDG_STATE_HOME: join(world.folder, "state") };
    const flags = ["--config", file];
    const none = await runPostel(["sessions", ...flags], "", env);
    expect(none).toMatchObject({
      status: 0,
      out: "",
      err: expect.stringMatching(/^Nothing is kept: .*postel\.db is not/),
    });
    world.gateway.script = [{ calls: [["shop.price", {}]] }, "Hello yourself."];
    expect(await runPostel(["chat", "--agent", "clerk", ...flags], "Hello\n", env)).toMatchObject({ status: 0 });
    const { sessions } = JSON.parse((await runPostel(["sessions", "--json", ...flags], "", env)).out);
    expect(sessions).toEqual([expect.objectContaining({ first_words: "Hello" })]);
    const { tools } = JSON.parse((await runPostel(["tools", "--json", ...flags], "", env)).out);
    expect(tools).toContainEqual(
      expect.objectContaining({ name: "shop.price", calls: { failed: expect.objectContaining({ calls: 1 }) } }),
    );
  });
});

describe("postel tools NAME", () => {
  it("shows its schema, who has it, what a person agrees to and what its calls came to", async () => {
    await world.until(async ({ toolStatistics }) => (await toolStatistics.list()).length > 0);
    const { status, out } = await world.postel("tools", "shop.price");
    expect(status).toBe(0);
    expect(cellsOf(out)).toEqual(
      expect.arrayContaining([
        ["agents", "clerk"],
        ["kind", "http-client"],
        ["calls", "1"],
      ]),
    );
    expect(out).toMatch(/\n\n\{\n {2}"type": "object",/);
    expect((await world.postel("tools", "shop.refund")).out).toMatch(/^approval +a person agrees to each call$/m);
    const slip = await world.postel("tools", "shop.prise");
    expect(slip).toMatchObject({ status: 1, err: expect.stringContaining("did you mean `shop.price`?") });
  });
});
