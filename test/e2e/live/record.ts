// Records the scenes with real models behind the gateway: the files live-*.jsonl of fixtures/transcripts, expectations included.
// usage: node test/e2e/live/record.ts FOLDER [SCENE...]
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayTranscript } from "../../../src/cli/replay/replayTranscript.ts";
import { formatTranscript, parseTranscript } from "../../../src/transcripts/format/Transcript.ts";
import { configFor, shippedConfig, startGateway } from "../../support/startGateway.ts";
import { fetchModels, type LiveModel, type LiveServer, MODELS, startServer } from "./liveServer.ts";
import { SCENES, type Scene } from "./scenes.ts";

const [folder = "fixtures/transcripts", ...names] = process.argv.slice(2);
const scenes = SCENES.filter(({ name }) => names.length === 0 || names.includes(name));
const models = MODELS.filter(({ part }) => scenes.some((scene) => scene.part === part));
await fetchModels(models);
for (const model of models) {
  const server = await startServer(model);
  try {
    for (const scene of scenes.filter(({ part }) => part === model.part)) await record(server, model, scene);
  } finally {
    await server.stop();
  }
}

async function record(server: LiveServer, model: LiveModel, scene: Scene): Promise<void> {
  const recorded = await recordScene(server, model, scene);
  const description = `${model.title}, llama.cpp ${server.version}. ${scene.shows}`;
  const transcript = { ...recorded, header: { ...recorded.header, description } };
  const { actual, faults } = await replayTranscript(shippedConfig(), transcript, { type: "recorded" });
  const header = { ...transcript.header, expected: actual };
  writeFileSync(join(folder, `${scene.name}.jsonl`), formatTranscript({ ...transcript, header }));
  process.stdout.write(`${scene.name}: ${[JSON.stringify(actual), ...faults].join("\n  fault: ")}\n`);
}

/** Asks a gateway of its own, so that no scene knows what another has taught. */
async function recordScene(server: LiveServer, model: LiveModel, { path, pinned, row, question, body }: Scene) {
  const recordings = mkdtempSync(join(tmpdir(), "postel-scene-"));
  const operatorModels = row ? [{ ...row, match: [model.name], why: "The way of this recording." }] : [];
  const gateway = await startGateway({
    config: { ...configFor(server.baseUrl), operatorModels },
    recordTo: recordings,
  });
  const messages = [{ role: "user", content: question }];
  const sampling = { temperature: 0, seed: 1, max_tokens: 96 };
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(pinned && { "x-postel-tool-mode": pinned }) },
    body: JSON.stringify({ model: model.name, messages, ...sampling, ...body }),
  });
  await response.text();
  await gateway.close();
  const [file = ""] = readdirSync(recordings);
  const transcript = parseTranscript(readFileSync(join(recordings, file), "utf8"), file);
  rmSync(recordings, { recursive: true });
  return transcript;
}
