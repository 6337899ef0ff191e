// Records the runs of fixtures/scenarios anew: `npm run record:scenarios`; `-- AGENT…` for some. The models are played here; the tools and programs are real.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { replayFolder } from "../../../src/cli/replay/replayFolder.ts";
import { formatTranscript, parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { FakeUpstream, sendText, type UpstreamRequest } from "../../support/FakeUpstream.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { answerEmbeddings } from "../../support/servers/embeddings.ts";
import { startSite } from "../../support/servers/siteServer.ts";
import { startGateway } from "../../support/startGateway.ts";

const FOLDER = resolve("fixtures/scenarios");
const FILE = join(FOLDER, "postel.yaml");

/** What stands in the recordings in the place of this machine's addresses, which are others each time. */
const SITE = "http://site.example";
const ORDERS = "http://orders.example";

interface Scenario {
  readonly agent: string;
  readonly description: string;
  readonly asked: object;
}

const SCENARIOS: readonly Scenario[] = [
  {
    agent: "calculation",
    description: "The model writes its call as XML, and answers by its result.",
    asked: { input: { expression: "17 * 23" } },
  },
  {
    agent: "files",
    description: "Two programs, one after the other; the name of a file has a blank in it, and its text has quotes.",
    asked: { input: { from: "my notes.txt", to: "copy.txt" } },
  },
  {
    agent: "form",
    description:
      "The work ends by itself; what is read out of it does not fit the form at first, and is asked for again.",
    asked: { input: { guests: 3 } },
  },
  {
    agent: "desk",
    description: "The front desk hands the conversation over, and the other agent answers.",
    asked: { messages: [{ role: "user", content: "My parcel is lost." }] },
  },
  {
    agent: "looping",
    description: "The model makes the same call over and over, whatever it is told.",
    asked: {},
  },
  {
    agent: "silent",
    description: "The model must call a tool and never does.",
    asked: { input: { expression: "17 * 23" } },
  },
  {
    agent: "retrieval",
    description: "Two texts are put on the shelf, one is found by what is meant, and named as the source.",
    asked: { input: { topic: "felines" } },
  },
  {
    agent: "research",
    description: "A server of tools, a program, is asked for papers, then for one of them.",
    asked: { input: { topic: "tides" } },
  },
  {
    agent: "order",
    description: "An operation that reads is called; the one that orders waits for a person.",
    asked: { input: { item: "tea", count: 2 } },
  },
  {
    agent: "chain",
    description: "A page is read, filed by its meaning and given to another agent: one workflow, as one call.",
    asked: { input: { url: `${SITE}/tides` } },
  },
];

/** What each model says, by the number of its own turns so far and what it was told last. */
const MODELS: Readonly<Record<string, (turns: number, told: string) => string>> = {
  reckoner: (turns, told) =>
    turns === 0
      ? '<function_calls>\n<invoke name="calculator">\n<parameter name="expression">17 * 23</parameter>\n</invoke>\n</function_calls>'
      : `It is ${told}.`,
  scribe: (turns, told) =>
    [
      call("notes", { file: "my notes.txt" }),
      call("write", { file: "copy.txt", text: `${told.trim()} "And $(tea)."\n` }),
      "The note is copied.",
    ][turns] ?? "",
  registrar: (turns, told) =>
    [
      `[calculator(expression="3 * 12")]`,
      `Three guests are registered, at ${told} in all.`,
      '{"guests": 3, "total": "thirty-six"}',
      '{"guests": 3, "total": 36}',
    ][turns] ?? "",
  clerk: (_turns, told) =>
    told.includes("parcel")
      ? call("hand_off_to_complaints", { reason: "A parcel is lost." })
      : "I am sorry to hear that.",
  librarian: (turns, told) =>
    [
      call("shelf.insert", { text: "Cats sleep through most of the day.", title: "On Cats", id: "cats" }) +
        call("shelf.insert", { text: "An automobile wants oil.", title: "On Cars", id: "cars" }),
      call("shelf.search", { query: "feline sleep", top: 1 }),
      `On Cats says: ${/Cats sleep[^."]*/.exec(told)?.[0]}.`,
    ][turns] ?? "",
  researcher: (turns, told) =>
    [
      call("library.find-papers", { word: "tides" }),
      call("library.read-paper", { id: /p\d+(?=: Tides)/.exec(told)?.[0] ?? "" }),
      `It is written: ${told.trim()}`,
    ][turns] ?? "",
  buyer: (turns) =>
    [call("orders.countStock", { item: "tea" }), call("orders.createOrder", { item: "tea", count: 2 })][turns] ?? "",
  editor: (turns, told) =>
    turns === 0
      ? call("file-page", { url: `${SITE}/tides` })
      : `It is filed. ${told.replaceAll(/<[^>]*>/g, "").trim()}`,
  digester: (_turns, told) => (told.includes("Twice a day") ? "The sea comes in twice a day." : "There is nothing."),
  parrot: () => call("clock", {}),
  talker: () => "I would rather talk.",
};

function call(name: string, args: object): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
}

function said({ body: { model, messages } }: UpstreamRequest): string {
  const turns = messages.filter(({ role }) => role === "assistant").length;
  return MODELS[model]?.(turns, messages.at(-1)?.content ?? "") ?? "";
}

const upstream = await FakeUpstream.start((request, response) => {
  if (request.path.endsWith("/embeddings")) answerEmbeddings(request.body as never, response, 64);
  else sendText(response, said(request).replaceAll(SITE, site.url));
});
const site = await startSite({
  "/tides": `<!doctype html><title>Tides</title><article><h1>Tides</h1><p>${"Twice a day the sea comes in. ".repeat(20)}</p></article>`,
});
const shop = await startSite({
  "/v1/stock/tea": (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"count": 5}'),
});
const here = {
  MODELS_URL: [upstream.baseUrl, "http://models.example/v1"],
  ORDERS_URL: [`${shop.url}/v1`, `${ORDERS}/v1`],
  SITE_HOST: [new URL(site.url).host, new URL(SITE).host],
} as const;
const addresses = Object.fromEntries(Object.entries(here).map(([name, [address]]) => [name, address]));
const LIBRARY_SERVER = fileURLToPath(new URL("./libraryServer.ts", import.meta.url));
const env = { ...addresses, LIBRARY_SERVER, PATH: process.env.PATH };
const config = readConfig({ file: FILE, modelsFile: resolve("config/models.yaml"), env });
const wanted = process.argv.slice(2);
for (const { agent, description, asked } of SCENARIOS) {
  if (wanted.length > 0 && !wanted.includes(agent)) continue;
  const recordTo = mkdtempSync(join(tmpdir(), "postel-scenario-"));
  const gateway = await startGateway({ config, recordTo });
  const response = await fetch(`${gateway.url}/v1/agent`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ agent, stream: true, ...asked }).replaceAll(SITE, site.url),
  });
  if (!response.ok) throw new Error(`${agent}: ${await response.text()}`);
  await response.text();
  await gateway.close();
  const [name = ""] = readdirSync(recordTo);
  const transcript = parseTranscript(readFileSync(join(recordTo, name), "utf8"), name);
  const header = { ...transcript.header, description };
  // The ports of the recorded servers are nobody's business, and others each time.
  const text = Object.values(here).reduce(
    (written, [address, shown]) => written.replaceAll(address, shown),
    formatTranscript({ ...transcript, header }),
  );
  writeFileSync(join(FOLDER, `${agent}.jsonl`), text);
  rmSync(recordTo, { recursive: true });
}
await Promise.all([upstream, site, shop].map((server) => server.close()));
rmSync(join(FOLDER, "workspace/copy.txt"), { force: true });
process.exitCode = await replayFolder(FOLDER, { config: FILE, update: true });
