// `postel models`: what is served and how it is asked, and why; what is down takes nothing else with it, and no name steers a terminal.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { HOSTILE, startWorld, type World } from "../../../support/cli/listWorld.ts";

let world: World;
afterEach(() => world.close());

const columns = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

describe("postel models", () => {
  it("lists every name that is served, and says which upstream is down and why", async () => {
    world = await startWorld("native", ["wide-模型"]);
    const { status, out, err } = await world.postel("models");
    expect(status).toBe(0);
    expect(columns(out)).toEqual([
      ["model", "upstream", "asked", "row", "context", "prices", "stands for"],
      ["m", "up", "native", "m", "100000 (assumed)", "1/2"],
      ["wide-模型", "other", "native", "default", "4096"],
      ["fast", "up", "native", "m", "100000 (assumed)", "1/2", "m"],
    ]);
    expect(err).toBe("gpt-* stands for m\ndown: http://127.0.0.1:9/v1: refused the connection\n");
  });

  it("lists a hostile name in one line that steers no terminal, and as itself in JSON", async () => {
    world = await startWorld("native", [HOSTILE]);
    const { out } = await world.postel("models");
    expect(out.split("\n").filter((line) => line.includes("other"))).toEqual([
      expect.stringMatching(/^evil\\u001b\[2J\\u001b\]0;owned\\u0007\\nforged\\tline\\u202e +other/),
    ]);
    const { models, upstreams } = JSON.parse((await world.postel("models", "--json")).out);
    expect(models.map(({ id }: { readonly id: string }) => id)).toEqual(["m", HOSTILE, "fast"]);
    expect(upstreams[1]).toMatchObject({ id: "down", error: { code: "upstream_unavailable" } });
  });
});

describe("postel models NAME", () => {
  it("tells where each capability comes from, what the rows say, and what a refusal has taught", async () => {
    world = await startWorld("text");
    world.gateway.script = ["Fine."];
    await world.gateway.ask({ agent: "clerk", messages: [{ role: "user", content: "Hello" }] });
    // The gateway asks for itself before it holds a refusal against the model, behind the answer.
    await world.until(async ({ evidence }) => (await evidence.get("up/m")).length > 0);
    const { status, out, err } = await world.postel("models", "fast");
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(/^stands for +m$/m);
    expect(out).toMatch(/^asked +in text: /m);
    expect(out).toMatch(/^prices +1 in, 2 out a million tokens$/m);
    expect(out).toMatch(/^operator's row +m: our own server's price list$/m);
    expect(out).toMatch(/^tools +text +learnt from a refusal$/m);
    expect(out).toMatch(/^quirks +\["merge-system"\] +operator's row$/m);
    expect(out).toMatch(/^merge-system +Chat templates of /m);
    expect(out).toMatch(/^tools +refused \d{4}-.*, counts for (\d+ min|1\.0 h) more: .*does not support tools/m);
    const { capabilities, evidence, rows } = JSON.parse((await world.postel("models", "fast", "--json")).out);
    expect(capabilities.tools).toEqual({ value: "text", source: "evidence" });
    expect(evidence).toEqual([expect.objectContaining({ refused: "tools", probe: false })]);
    expect(evidence[0].good_until - evidence[0].at).toBe(3_600_000);
    expect(rows[0]).toEqual({ from: "operator", pattern: "m", why: "our own server's price list" });
  });

  it("says where nobody lists the name, which names are near, and makes no store", async () => {
    world = await startWorld("native", ["teapot-large", "teapot-small"]);
    const shown = await world.postel("models", "teapot");
    expect(shown).toMatchObject({ status: 0, err: expect.stringContaining("(near it: teapot-large, teapot-small)") });
    const elsewhere = await world.postel("models", "m", "--store", join(world.folder, "none.db"));
    expect([elsewhere.status, readdirSync(world.folder).includes("none.db")]).toEqual([0, false]);
    const gone = await world.postel("models", "gone-tomorrow");
    expect(gone).toMatchObject({ status: 0, err: "http://127.0.0.1:9/v1: refused the connection\n" });
  });
});
