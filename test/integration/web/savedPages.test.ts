// Pages of different make, as they are on the disk, through a real site and the gateway: each is read as the Markdown beside it.
import { readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Site, startSite } from "../../support/servers/siteServer.ts";
import { startWeb, type WebGateway } from "../../support/web/webGateway.ts";

const FOLDER = "fixtures/pages";
const PAGES = readdirSync(FOLDER).filter((file) => !file.endsWith(".md"));

/** What is no HTML that says its own coding, or none in UTF-8. */
const TYPES: Readonly<Record<string, string>> = {
  "latin1.html": "text/html; charset=ISO-8859-1",
  "page.xhtml": "application/xhtml+xml",
  "notes.txt": "text/plain",
};

let site: Site;
let web: WebGateway;
beforeAll(async () => {
  const served = PAGES.map((file) => {
    const bytes = readFileSync(join(FOLDER, file));
    const head = { "content-type": TYPES[file] ?? "text/html" };
    return [`/pages/${file}`, (response: ServerResponse) => void response.writeHead(200, head).end(bytes)] as const;
  });
  site = await startSite(Object.fromEntries(served));
  web = await startWeb([site], { links: 3 });
});
afterAll(async () => {
  await web.close();
  await site.close();
});

describe("a saved page", () => {
  it("is one of twenty or more", () => {
    expect(PAGES.length).toBeGreaterThanOrEqual(20);
  });

  it.each(PAGES)("is read as expected: %s", async (file) => {
    const read = await web.read(`${site.url}/pages/${file}`);
    const expected = readFileSync(join(FOLDER, file.replace(/\.\w+$/, ".md")), "utf8");
    expect(`${read.replaceAll(site.url, "https://site.example").trimEnd()}\n`).toBe(expected);
  });
});
