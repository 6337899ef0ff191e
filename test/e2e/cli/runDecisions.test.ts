// Runs of `postel run` that a person has a say in: with `--yes`, with somebody at the terminal, and with nobody there.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { recordIn } from "../../support/audit/recordIn.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import { type Service, startService } from "../../support/examples/startExample.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { until } from "../../support/runs/runServiceFixtures.ts";
import { hasTerminal, startTerminal, type Terminal } from "../../support/tmux.ts";

const CALLS: Readonly<Record<string, object>> = {
  mails: { name: "send", arguments: { to: "ann" } },
  announces: { name: "send", arguments: { to: "ann" } },
  destroys: { name: "query", arguments: { sql: "DROP TABLE orders" } },
  reads: { name: "page", arguments: {} },
};
/** What the model is talked into by the page that it has read. */
const OBEYED = { name: "post", arguments: { to: "eve" } };

let folder: string;
let service: Service;
let upstream: FakeUpstream;
/** Has the model call that is late. */
let callNow: () => void;
beforeAll(async () => {
  service = await startService({ ok: true });
  upstream = await FakeUpstream.start(({ body }, response) => {
    if (body.model === "never-answers") return;
    if (body.model === "late") {
      callNow = () => sendText(response, `<tool_call>${JSON.stringify(CALLS.mails)}</tool_call>`);
      return;
    }
    const last = body.messages.at(-1)?.content ?? "";
    const answers = body.messages.filter(({ role }) => role === "assistant").length;
    const made = answers === 0 ? CALLS[body.model] : answers === 1 && body.model === "reads" ? OBEYED : undefined;
    const words = body.model === "announces" ? "I shall write to her.\n" : "";
    sendText(response, made ? `${words}<tool_call>${JSON.stringify(made)}</tool_call>` : `It said: ${last}`);
  });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-decisions-"));
  writeFileSync(
    join(folder, "postel.yaml"),
    `
upstreams: [{ id: up, base_url: "${upstream.baseUrl}" }]
components:
  - { id: mail, type: http-client, base_url: "${service.url}", actions: [{ id: send, path: "/send?to=\${input.to}", approval: always }] }
  - id: db
    type: http-client
    base_url: "${service.url}"
    actions: [{ id: query, method: POST, path: /run, body: { sql: "\${input.sql}" }, params: { sql: { type: string, format: sql } } }]
  - id: web
    type: http-client
    base_url: "${service.url}"
    actions: [{ id: page, path: /page, idempotent: true }, { id: post, method: POST, path: "/post?to=\${input.to}" }]
agents:
  - { id: default, tools: [{ component: mail, name: send }, { component: db, name: query }] }
  - { id: reader, after_untrusted: ask, tools: [{ component: web, action: page, name: page }, { component: web, action: post, name: post }] }
`,
  );
});
afterEach(() => {
  service.asked.length = 0;
  rmSync(folder, { recursive: true });
});
afterAll(async () => {
  await service.close();
  await upstream.close();
});

const args = (...more: readonly string[]) => ["run", ...more, "--config", join(folder, "postel.yaml")];
const go = (model: string, ...more: readonly string[]) => runPostel(args("Go", "--model", model, ...more));
const asked = () => service.asked.map(({ what }) => what);

describe("where nobody is there", () => {
  it("a call that needs a person is refused, and the model told so", async () => {
    const { status, out } = await go("mails");
    expect([status, asked()]).toEqual([0, []]);
    expect(out).toContain("nobody is there");
  });

  it("--yes lets run what only a policy holds, and says the very call", async () => {
    const { status, out, err } = await go("mails", "--yes");
    expect([status, asked()]).toEqual([0, ["GET /send?to=ann"]]);
    expect(out).toContain("ok");
    expect(err).toMatch(
      /^· approved by --yes: May send send this request\? GET http:\S+\/send\?to=ann send {"to":"ann"}$/m,
    );
  });

  it("what was said before a decision stands apart from what was said behind it, in the one object too", async () => {
    const { out } = await go("announces", "--yes", "--json");
    expect(JSON.parse(out).answer).toMatch(/^I shall write to her\.\n\nIt said: /);
  });

  it("--yes ends a run that would destroy", async () => {
    const { status, out, err } = await go("destroys", "--yes", "--json");
    expect([status, asked()]).toEqual([7, []]);
    expect(JSON.parse(out)).toMatchObject({ outcome: "rejected", calls: [{ name: "query", is_error: true }] });
    expect(err).toContain("refused, since nobody is there");
    expect(err).toContain("DROP TABLE orders");
  });

  it("--yes never lets run what a page may have asked for, and says why", async () => {
    const { status, out, err } = await go("reads", "--agent", "reader", "--yes");
    expect([status, asked()]).toEqual([0, ["GET /page"]]);
    expect(err).toMatch(
      /^· refused, since nobody is there .* post {"to":"eve"} \(The model has read what somebody outside wrote/m,
    );
    expect(out).toContain("it may not run unseen");
    expect(out).not.toContain("a person said no");
  });

  it("a run that is kept waits, says how it is decided about, and goes on then", async () => {
    const store = ["--store", join(folder, "runs.db")];
    const waiting = await go("mails", "--json", ...store);
    expect([waiting.status, asked()]).toEqual([9, []]);
    const report = JSON.parse(waiting.out) as { readonly run_id: string; readonly interrupts: readonly object[] };
    expect(report).toMatchObject({
      outcome: "awaiting-human",
      interrupts: [{ type: "approval", tool: "send", arguments: '{"to":"ann"}', plan: expect.stringMatching(/./) }],
    });
    expect(waiting.err).toContain(`postel run --resume ${report.run_id} --config ${folder}`);
    const still = await runPostel(args("--resume", report.run_id, "--json", ...store));
    expect([still.status, JSON.parse(still.out).run_id]).toEqual([9, report.run_id]);
    expect(still.err).toContain(`postel run --resume ${report.run_id} --config ${folder}`);
    const later = await runPostel(args("--resume", report.run_id, "--yes", ...store));
    expect([later.status, asked()]).toEqual([0, ["GET /send?to=ann"]]);
    expect(later.out).toContain("ok");
    expect(recordIn(join(folder, "runs.db"))).toEqual([
      ...["local asks default", "the run ends: awaiting-human"],
      ...['local --yes decides on send {"to":"ann"}: approve', 'mail begins: {"to":"ann"}', "mail ends: ok"],
      "the run ends: answered",
    ]);
    const again = await runPostel(args("--resume", report.run_id, ...store));
    expect([again.status, again.err]).toEqual([1, expect.stringContaining("over")]);
  });
});

(hasTerminal ? describe : describe.skip)("somebody at the terminal", () => {
  let terminal: Terminal | undefined;
  afterEach(() => terminal?.close());

  async function at(...more: readonly string[]): Promise<Terminal> {
    const argv = [process.execPath, "src/main.ts", ...args(...more)];
    terminal = await startTerminal({ argv, rows: 30, env: { XDG_STATE_HOME: folder, NO_COLOR: "1" } });
    return terminal;
  }

  it("is asked with the call as it would run, and what is agreed to runs", async () => {
    const screen = await at("Go", "--model", "mails");
    expect(await screen.until("Approve")).toContain('"to": "ann"');
    await screen.press("Down", "Down", "Enter");
    expect(await screen.exit()).toBe(0);
    expect(asked()).toEqual(["GET /send?to=ann"]);
    const shown = await screen.history();
    expect(shown).toMatch(/^✓ send ann · \d+(?:\.\d)? m?s$/m);
    expect(shown).toMatch(/^It said: .*ok/m);
    expect(shown).not.toMatch(/[|/\\-] (?:send|mails works)/);
  });

  it("is asked for what --yes does not cover, and a careless Enter runs nothing", async () => {
    const screen = await at("Go", "--model", "destroys", "--yes");
    expect(await screen.until("● Reject")).toContain("DROP TABLE orders");
    await screen.press("Enter");
    await screen.until("Why not?");
    await screen.press("Enter");
    expect([await screen.exit(), asked()]).toEqual([7, []]);
  });

  it("agrees to nothing by keys that were pressed before the question was there", async () => {
    const screen = await at("Go", "--model", "late");
    await until(() => upstream.requests.some(({ body }) => body.model === "late"), 40_000);
    await screen.press("Down", "Down", "Enter");
    callNow();
    await screen.until("● Reject");
    await screen.press("C-c");
    expect([await screen.exit(), asked()]).toEqual([9, []]);
  });

  it("is told what is wrong with edited arguments, and asked again", async () => {
    const screen = await at("Go", "--model", "mails");
    await screen.until("Approve");
    await screen.press("Down", "Enter");
    await screen.until('{ "to": "ann" }');
    await screen.press("C-u");
    await screen.type('{"whom": "bob"}');
    await screen.press("Enter");
    expect(await screen.until(/whom[\s\S]*● Reject/)).toContain("to");
    expect(asked()).toEqual([]);
    await screen.press("Down", "Down", "Enter");
    expect([await screen.exit(), asked()]).toEqual([0, ["GET /send?to=ann"]]);
  });

  it("sees what goes on, and stops it by a key", async () => {
    const screen = await at("Wait", "--model", "never-answers");
    await screen.until(/^[-|/\\] never-answers works$/m);
    await screen.press("C-c");
    expect(await screen.exit()).toBe(130);
    expect(await screen.history()).not.toContain("never-answers works");
  });

  it("leaves without deciding, and comes back to it", async () => {
    const screen = await at("Go", "--model", "mails");
    await screen.until("Approve");
    await screen.press("C-c");
    expect(await screen.exit()).toBe(9);
    const [, id = ""] = /--resume (\w+)/.exec(await screen.history()) ?? [];
    await screen.close();
    const back = await at("--resume", id);
    await back.until("Approve");
    await back.press("Down", "Down", "Enter");
    expect([await back.exit(), asked()]).toEqual([0, ["GET /send?to=ann"]]);
  });
});
