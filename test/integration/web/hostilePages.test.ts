// Pages that are written to hold up the gateway: each is read or refused within its time, and the event loop goes on meanwhile.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { HOSTILE_PAGES } from "../../support/hostilePages.ts";
import { leastSlice } from "../../support/leastSlice.ts";
import { type Site, startSite } from "../../support/servers/siteServer.ts";
import { startWeb, type WebGateway } from "../../support/web/webGateway.ts";

/** Milliseconds. */
const PARSE_MS = 2_000;
/** Beside taking a page apart, on a machine that does other things: fetching it, starting a thread, asking the model twice. */
const ELSE_MS = 15_000;
/** `npm run stall` measures 50 ms on an idle machine. Here collecting garbage counts too; a page that is taken apart in the gateway's own thread takes seconds. */
const SLICE_MS = 500;

let next: Buffer;
let site: Site;
let web: WebGateway;
beforeAll(async () => {
  site = await startSite({
    "/hostile": (response) => response.writeHead(200, { "content-type": "text/html" }).end(next),
    "/plain": "<title>Plain</title><p>All is well.</p>",
  });
  web = await startWeb([site], { parse_ms: PARSE_MS, links: 500 });
  await web.read(`${site.url}/plain`);
  next = Buffer.from(`<p>${"warm ".repeat(100_000)}</p>`);
  await web.read(`${site.url}/hostile`);
});
afterAll(async () => {
  await web.close();
  await site.close();
});

describe("a hostile page", () => {
  it.each(Object.keys(HOSTILE_PAGES))("holds nobody up: %s", async (name) => {
    next = HOSTILE_PAGES[name]?.() ?? Buffer.of();
    const started = performance.now();
    const { value, ms } = await leastSlice(() => web.read(`${site.url}/hostile`), SLICE_MS);
    expect(value).toMatch(
      /^(?:Title: Hostile\nURL: |Error: (?:The page has more than|The page cannot be taken apart|Taking the page apart took))/,
    );
    expect(performance.now() - started).toBeLessThan(PARSE_MS + ELSE_MS);
    expect(ms).toBeLessThan(SLICE_MS);
  });

  it("does not hold up the others that are read at the same time", async () => {
    next = HOSTILE_PAGES["as many elements as may be, as deep as may be"]?.() ?? Buffer.of();
    const [hostile, plain] = await web.readAll(`${site.url}/hostile`, `${site.url}/plain`);
    expect(hostile).toContain(`took longer than ${PARSE_MS} ms`);
    expect(plain).toContain("All is well.");
  });
});
