// Records the runs of fixtures/scenarios anew: `npm run record:scenarios`. The models are played here; the tools and programs are real.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { replayFolder } from "../../src/cli/replayFolder.ts";
import { readConfig } from "../../src/compose.ts";
import { formatTranscript, parseTranscript } from "../../src/transcripts/Transcript.ts";
import { sendText, startGateway, startUpstream, type UpstreamRequest } from "../flows/startGateway.ts";

const FOLDER = resolve("fixtures/scenarios");
const FILE = join(FOLDER, "postel.yaml");

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

const upstream = await startUpstream((request, response) => sendText(response, said(request)));
const env = { MODELS_URL: upstream.baseUrl };
const config = readConfig({ file: FILE, modelsFile: resolve("config/models.yaml"), env });
for (const { agent, description, asked } of SCENARIOS) {
  const recordTo = mkdtempSync(join(tmpdir(), "postel-scenario-"));
  const gateway = await startGateway(config, undefined, recordTo);
  const response = await fetch(`${gateway.url}/v1/agent`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ agent, stream: true, ...asked }),
  });
  if (!response.ok) throw new Error(`${agent}: ${await response.text()}`);
  await response.text();
  await gateway.close();
  const [name = ""] = readdirSync(recordTo);
  const transcript = parseTranscript(readFileSync(join(recordTo, name), "utf8"), name);
  const header = { ...transcript.header, description };
  // The port of the recorded server is nobody's business, and another one each time.
  const text = formatTranscript({ ...transcript, header }).replaceAll(upstream.baseUrl, "http://models.example/v1");
  writeFileSync(join(FOLDER, `${agent}.jsonl`), text);
  rmSync(recordTo, { recursive: true });
}
await upstream.close();
rmSync(join(FOLDER, "workspace/copy.txt"));
process.exitCode = await replayFolder(FOLDER, { config: FILE, update: true });
