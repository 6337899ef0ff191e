// Pages of a run that is recorded and replayed: the replay asks no site, whatever the site would say by now.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "@jest/globals";
import { findReplayDifferences } from "../../../src/cli/replay/replayDifferences.ts";
import { parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { chunk, FakeUpstream } from "../../support/FakeUpstream.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { startSite } from "../../support/servers/siteServer.ts";
import { startGateway } from "../../support/startGateway.ts";

it("pages, redirects, robots.txt and bytes in any coding are replayed at every chunking", async () => {
  const latin = Buffer.from("<title>Caf\xe9</title><p>Ge\xf6ffnet.</p>", "latin1");
  const site = await startSite({
    "/robots.txt": (response) => response.end("User-agent: *\nDisallow: /no"),
    "/a": (response) => response.writeHead(301, { location: "/b" }).end(),
    "/b": (response) => response.writeHead(200, { "content-type": "text/html; charset=ISO-8859-1" }).end(latin),
  });
  const upstream = await FakeUpstream.start(({ body, path }, response) => {
    if (path.endsWith("/models")) return void response.end(JSON.stringify({ object: "list", data: [{ id: "m" }] }));
    const calls = ["/a", "/no", "/b"].map((page, index) => {
      const args = JSON.stringify({ url: site.url + page });
      return { index, id: `call0000${index}`, type: "function", function: { name: "reader", arguments: args } };
    });
    // One page in each turn: the order of exchanges is a recording's.
    const call = calls[body.messages.filter(({ role }) => role === "tool").length];
    const choices = [{ index: 0, delta: { tool_calls: [{ ...call, index: 0 }] }, finish_reason: "tool_calls" }];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${call ? `data: ${JSON.stringify({ choices })}\n\n` : chunk("Done.", "stop")}data: [DONE]\n\n`);
  });
  const folder = mkdtempSync(join(tmpdir(), "postel-pages-"));
  const file = join(folder, "postel.yaml");
  const component = { id: "reader", type: "web-scraper", hosts: [`127.0.0.1:${site.port}`] };
  writeFileSync(
    file,
    JSON.stringify({
      upstreams: [{ id: "up", base_url: upstream.baseUrl }],
      components: [component],
      agents: [{ id: "hand", model: "m", tools: ["reader"] }],
    }),
  );
  const config = () => readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} });
  const recordTo = join(folder, "recordings");
  const gateway = await startGateway({ config: config(), recordTo });
  const messages = [{ role: "user" as const, content: "Read." }];
  await gateway.client("/v1/agent").chat.completions.create({ model: "hand", messages });
  const read = upstream.requests.at(-1)?.body.messages.filter(({ role }) => role === "tool") ?? [];
  for (const one of [gateway, upstream, site]) await one.close();

  const refused = `Error: The robots.txt of ${site.url} does not let this page be read. The same again will not help: look for the text elsewhere.`;
  const page = `Title: Café\nURL: ${site.url}/b\n\nGeöffnet.`;
  expect(read.map(({ content }) => content)).toEqual([page, refused, page]);
  const asked = site.asked.length;
  expect(site.asked).toEqual(["/robots.txt", "/a", "/b", "/b"]);
  const [name = ""] = readdirSync(recordTo);
  const { header, ...rest } = parseTranscript(readFileSync(join(recordTo, name), "utf8"), name);
  const tool_results = read.map(({ content }, at) => ({
    name: "reader",
    content,
    ...(at === 1 && { is_error: true }),
  }));
  const transcript = {
    header: { ...header, expected: { content: "Done.", tool_results, finish_reason: "stop" } },
    ...rest,
  };
  expect(await findReplayDifferences(config(), transcript)).toEqual([]);
  expect(site.asked).toHaveLength(asked);
  rmSync(folder, { recursive: true });
});
