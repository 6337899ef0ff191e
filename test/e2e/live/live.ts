// Real small models behind the gateway: forty tool tasks and six agent questions for each way of asking, written into docs/benchmarks.md.
// usage: npm run test:live -- [--short] [--model PART] [--way NAME]     (--short: every fifth task, nothing is written)
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { configFor, shippedConfig, startGateway } from "../../support/startGateway.ts";
import { withEvidence, written } from "./evidence.ts";
import { type Grade, grade, type Message } from "./grade.ts";
import { fetchModels, type LiveModel, type LiveServer, MODELS, startServer } from "./liveServer.ts";
import { QUESTIONS, TASKS, TOOLS } from "./tasks.ts";
import { WAYS, type Way } from "./ways.ts";

interface Answer {
  readonly choices: readonly { readonly message: Message }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly postel?: { readonly attempts: number; readonly outcome?: string };
}

interface Tally {
  readonly grades: Record<Grade, number>;
  reasked: number;
  promptTokens: number;
  answerTokens: number;
  milliseconds: number;
}

const GRADES: readonly Grade[] = ["right", "wrong", "invalid", "none", "leaked", "failed"];
const COUNTED = ["asked again", "prompt tokens", "answer tokens", "ms", "server", "measured"];
const TASK_TABLE = { name: "tasks", head: ["model", "way", ...GRADES, ...COUNTED] };
const QUESTION_TABLE = { name: "questions", head: ["model", "way", "right", "wrong", "empty", "failed", "measured"] };
const EVIDENCE = resolve("docs/benchmarks.md");
const TODAY = new Date().toISOString().slice(0, 10);
/** Tasks and questions of a short run. */
const SHORT = { tasks: 8, questions: 2 };
/** An answer that takes longer has failed. Milliseconds. */
const PATIENCE_MS = 240_000;

const { values: flags } = parseArgs({
  options: { short: { type: "boolean" }, model: { type: "string" }, way: { type: "string" } },
});
const models = chosen(MODELS, flags.model, ({ part }) => part);
const ways = chosen(WAYS, flags.way, ({ name }) => name);
await fetchModels(models);
for (const model of models) {
  const server = await startServer(model);
  try {
    for (const way of ways) await measure(server, model, way);
  } finally {
    await server.stop();
  }
}

/** All, or the one of this name. Throws where there is none. */
function chosen<T>(all: readonly T[], name: string | undefined, nameOf: (item: T) => string): readonly T[] {
  const found = all.filter((item) => name === undefined || nameOf(item) === name);
  if (found.length === 0) throw new Error(`There is no ${name}. There are: ${all.map(nameOf).join("; ")}.`);
  return found;
}

/** A way's lines are written as soon as they are there, so that a run that is broken off has not run for nothing. */
async function measure(server: LiveServer, model: LiveModel, way: Way): Promise<void> {
  keep(TASK_TABLE, await tasksLine(server, model, way));
  if (way.agent) keep(QUESTION_TABLE, await questionsLine(server, model, way));
}

function keep(table: typeof TASK_TABLE, line: readonly string[]): void {
  process.stdout.write(`${written(line)}\n`);
  if (flags.short) return;
  const document = readFileSync(EVIDENCE, "utf8");
  writeFileSync(EVIDENCE, withEvidence(document, { ...table, lines: [line] }, placeOf));
}

function placeOf(model: string, way: string): number | undefined {
  const [m, w] = [MODELS.findIndex(({ name }) => name === model), WAYS.findIndex(({ name }) => name === way)];
  return m === -1 || w === -1 ? undefined : m * WAYS.length + w;
}

async function tasksLine(server: LiveServer, model: LiveModel, way: Way): Promise<readonly string[]> {
  const turnUsage = emptyTally();
  const tasks = flags.short ? TASKS.filter((_task, index) => index % (TASKS.length / SHORT.tasks) === 0) : TASKS;
  await through(server, model, way, async (base) => {
    for (const [index, task] of tasks.entries()) {
      const sampling = { temperature: 0, seed: 1000 + index, max_tokens: 256 };
      const messages = [{ role: "user", content: task.question }];
      const started = performance.now();
      const body = { model: model.name, ...sampling, messages, tools: TOOLS, ...way.body };
      const answer = await post(`${base}/chat/completions`, body);
      turnUsage.milliseconds += performance.now() - started;
      const message = answer?.choices[0]?.message ?? {};
      const found = answer ? grade(task, TOOLS, message) : "failed";
      // Whether it really is a call that nobody read, only a person can tell.
      if (found === "leaked") process.stderr.write(`leaked: ${JSON.stringify(message.content).slice(0, 600)}\n`);
      turnUsage.grades[found] += 1;
      turnUsage.reasked += (answer?.postel?.attempts ?? 1) > 1 ? 1 : 0;
      turnUsage.promptTokens += answer?.usage?.prompt_tokens ?? 0;
      turnUsage.answerTokens += answer?.usage?.completion_tokens ?? 0;
    }
  });
  const each = (sum: number) => Math.round(sum / tasks.length);
  const means = [turnUsage.promptTokens, turnUsage.answerTokens, turnUsage.milliseconds].map(each);
  const counts = [...GRADES.map((name) => turnUsage.grades[name]), turnUsage.reasked, ...means];
  return [model.name, way.name, ...counts.map(String), server.version, TODAY];
}

function emptyTally(): Tally {
  const grades = { right: 0, wrong: 0, invalid: 0, none: 0, leaked: 0, failed: 0 };
  return { grades, reasked: 0, promptTokens: 0, answerTokens: 0, milliseconds: 0 };
}

async function questionsLine(server: LiveServer, model: LiveModel, way: Way): Promise<readonly string[]> {
  const counts = { right: 0, wrong: 0, empty: 0, failed: 0 };
  const questions = flags.short ? QUESTIONS.slice(0, SHORT.questions) : QUESTIONS;
  await through(server, model, way, async (base) => {
    for (const { question, answer: right } of questions) {
      const messages = [{ role: "user", content: question }];
      const body = { model: model.name, temperature: 0, max_tokens: 160, max_turns: 8, messages };
      const answer = await post(`${base}/agent`, body);
      const content = answer?.choices[0]?.message.content ?? "";
      if (!answer) counts.failed += 1;
      else if (answer.postel?.outcome === "answered" && content.trim() === "") counts.empty += 1;
      else counts[right.test(content) ? "right" : "wrong"] += 1;
    }
  });
  return [model.name, way.name, ...Object.values(counts).map(String), TODAY];
}

/** Calls `use` with the base URL of the bare server, or of a gateway of its own before it: what one way learnt no other knows. */
async function through(server: LiveServer, model: LiveModel, way: Way, use: (base: string) => Promise<void>) {
  if (!way.row) return await use(server.baseUrl);
  const asShipped = Object.keys(way.row).length === 0;
  const operatorModels = asShipped ? [] : [{ ...way.row, match: [model.name], why: "A live test's way." }];
  const gateway = await startGateway({
    config: {
      ...configFor(server.baseUrl),
      retries: shippedConfig().retries,
      operatorModels,
    },
  });
  try {
    await use(`${gateway.url}/v1`);
  } finally {
    await gateway.close();
  }
}

/** The answer; nothing where there is none, which is told on standard error. */
async function post(url: string, body: object): Promise<Answer | undefined> {
  try {
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Answer;
    process.stderr.write(`${response.status} ${text.slice(0, 300)}\n`);
  } catch (error) {
    process.stderr.write(`${error}\n`);
  }
  return undefined;
}
