// Runs many attacks at the same time: endless answers, a slow answer, clients that do not read, and waves of requests.
// Afterwards it checks that the gateway has released its connections and answers again.
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { listHotFunctions } from "./cpuProfile.ts";
import { GatewayProcess, type GatewayReport } from "./GatewayProcess.ts";
import {
  type Answer,
  answerWithEvents,
  answerWithText,
  formatEvent,
  HostileUpstream,
  splitIntoDeltas,
  writeWithBackpressure,
} from "./HostileUpstream.ts";
import { type AnswerEnd, sendRequest } from "./sendRequest.ts";

/** Numbers of clients that request endless answers, that do not read, and that send requests in one wave. */
const ENDLESS_CLIENTS = 4;
const STALLED_CLIENTS = 100;
const WAVE_CLIENTS = 1_500;
/** Pauses between two waves, and between two endless answers of a client. Milliseconds. */
const WAVE_PAUSE_MS = 1_000;
const ENDLESS_PAUSE_MS = 100;
const REQUEST_TIMEOUT_MS = 120_000;
/** `timeouts.client_stall_ms`, with a margin for a busy machine. */
const STALL_TIMEOUT_MS = 35_000;
/** Time between the end of the attack and the check of what is left. Milliseconds. */
const RECOVERY_MS = 5_000;
/** Goals: peak memory, time of a request after the attack, and sockets that may stay open for reuse. */
const MAX_RSS_MB = 512;
const MAX_LATENCY_MS = 1_000;
const MAX_KEPT_SOCKETS = 8;

export interface CombinedAttackOptions {
  /** Duration of the attack. */
  readonly seconds: number;
  /** Folder for the gateway's files. */
  readonly folder: string;
  /** File for a CPU profile of the gateway during the attack. */
  readonly profile?: string | undefined;
  /** Receives the figures as lines of text. */
  readonly print: (line: string) => void;
}

/** Runs the attack. Returns one text for each goal that the gateway misses. */
export async function runCombinedAttack(options: CombinedAttackOptions): Promise<readonly string[]> {
  const upstream = await HostileUpstream.start(
    new Map<string, Answer>([
      ["endless", answerEndlessly],
      ["stalled", answerEndlessly],
      ["slow", answerSlowly],
      ["quick", answerQuickly],
    ]),
  );
  const gateway = await GatewayProcess.start(upstream.baseUrl, options.folder);
  try {
    const result = await measureAttack(gateway, upstream, options);
    if (!result) return ["the gateway exited"];
    printResult(result, options);
    return listMisses(result);
  } finally {
    await gateway.stop();
    await upstream.close();
  }
}

interface AttackResult {
  /** Reports before the attack, of the attack, and after the recovery time. */
  readonly before: GatewayReport;
  readonly during: GatewayReport;
  readonly after: GatewayReport;
  readonly waves: number;
  readonly answerEnds: readonly AnswerEnd[];
  /** Answers to stalled clients that were open after the stall timeout. */
  readonly stalledAnswers: number;
  /** Answers of the upstream that were open after the recovery time. */
  readonly openAnswers: number;
  /** A request after the recovery time. */
  readonly lastAnswer: AnswerEnd;
  readonly lastLatencyMs: number;
}

/** Resolves to undefined if the gateway exits. */
async function measureAttack(
  gateway: GatewayProcess,
  upstream: HostileUpstream,
  { seconds, profile }: CombinedAttackOptions,
): Promise<AttackResult | undefined> {
  await sendChat(gateway, { model: "quick" });
  await sleep(500);
  await gateway.reset();
  const before = await gateway.report();
  await gateway.reset(profile);

  const stalledSockets = Array.from({ length: STALLED_CLIENTS }, () => connectStalledClient(gateway.port));
  const { waves, answerEnds } = await sendAttack(gateway, seconds);
  const during = await gateway.report();
  // The buffers of the system accept data of stalled clients at first, so a short attack cannot reach the stall timeout.
  const reachesTimeout = seconds * 1_000 > STALL_TIMEOUT_MS;
  const stalledAnswers = reachesTimeout ? await countStalledAnswers(upstream) : 0;
  for (const socket of stalledSockets) socket.destroy();

  await sleep(RECOVERY_MS);
  await gateway.reset();
  const after = await gateway.report();
  if (!before || !during || !after) return undefined;
  const openAnswers = upstream.countOpenAnswers();
  const startedAt = performance.now();
  const lastAnswer = await sendChat(gateway, { model: "quick" });
  const lastLatencyMs = performance.now() - startedAt;
  return { before, during, after, waves, answerEnds, stalledAnswers, openAnswers, lastAnswer, lastLatencyMs };
}

/** Sends all requests of the attack and resolves when their answers have ended. */
async function sendAttack(
  gateway: GatewayProcess,
  seconds: number,
): Promise<Pick<AttackResult, "waves" | "answerEnds">> {
  const endAt = performance.now() + seconds * 1_000;
  const answerEnds: AnswerEnd[] = [];
  const slowRequest = new AbortController();
  const slowAnswer = sendChat(gateway, { model: "slow", signal: slowRequest.signal });
  const endlessClients = Array.from({ length: ENDLESS_CLIENTS }, async (_, i) => {
    while (performance.now() < endAt) {
      answerEnds.push(await sendChat(gateway, { model: "endless", stream: i % 2 === 1 }));
      await sleep(ENDLESS_PAUSE_MS);
    }
  });
  let waves = 0;
  while (performance.now() < endAt && gateway.isRunning) {
    waves += 1;
    const requests = Array.from({ length: WAVE_CLIENTS }, (_, i) =>
      sendChat(gateway, { model: "quick", stream: i % 2 === 1 }),
    );
    answerEnds.push(...(await Promise.all(requests)));
    await sleep(WAVE_PAUSE_MS);
  }
  await Promise.all(endlessClients);
  slowRequest.abort();
  await slowAnswer;
  return { waves, answerEnds };
}

/** Waits until all answers to stalled clients have ended, at most for the stall timeout. Returns how many are open. */
async function countStalledAnswers(upstream: HostileUpstream): Promise<number> {
  const endAt = performance.now() + STALL_TIMEOUT_MS;
  while (upstream.countOpenAnswers("stalled") > 0 && performance.now() < endAt) await sleep(100);
  return upstream.countOpenAnswers("stalled");
}

function printResult(result: AttackResult, { seconds, profile, print }: CombinedAttackOptions): void {
  const { before, during, after, waves, answerEnds } = result;
  const load = `${waves} waves of ${WAVE_CLIENTS} requests and ${ENDLESS_CLIENTS} clients with endless answers`;
  print(`${load} in ${seconds} s: ${summarizeEnds(answerEnds)}`);
  const slice = `longest slice ${during.slices[0]?.cpuMs.toFixed(0)} ms`;
  const health = `longest wait for /health ${during.health.longestMs.toFixed(0)} ms`;
  print(`peak RSS ${toMegabytes(during.peakRss)} MB, ${slice}, ${health}`);
  const sockets = `${after.sockets} open sockets (${before.sockets} before)`;
  const latency = `a request takes ${result.lastLatencyMs.toFixed(0)} ms`;
  print(`${RECOVERY_MS / 1_000} s later: ${result.openAnswers} open answers of the upstream, ${sockets}, ${latency}`);
  const [longest] = during.slices;
  if (profile && longest) for (const line of listHotFunctions(profile, longest)) print(`          ${line}`);
}

function listMisses(result: AttackResult): readonly string[] {
  const { before, during, after, answerEnds, stalledAnswers, openAnswers, lastAnswer, lastLatencyMs } = result;
  const cut = answerEnds.filter((answerEnd) => answerEnd.cut);
  const malformed = answerEnds.filter(({ isWellFormed }) => !isWellFormed);
  const megabytes = during.peakRss / 1024 / 1024;
  const misses: string[] = [];
  if (megabytes > MAX_RSS_MB) misses.push(`peak RSS was ${megabytes.toFixed(0)} MB, the goal is ${MAX_RSS_MB} MB`);
  if (cut.length > 0) misses.push(`${cut.length} answers were cut off: ${summarizeEnds(cut)}`);
  if (malformed.length > 0) misses.push(`${malformed.length} answers were malformed: ${summarizeEnds(malformed)}`);
  if (stalledAnswers > 0)
    misses.push(`${stalledAnswers} answers to clients that did not read were open after ${STALL_TIMEOUT_MS / 1_000} s`);
  if (during.health.failures > 0) misses.push(`/health failed ${during.health.failures} times`);
  if (openAnswers > 0) misses.push(`${openAnswers} answers of the upstream are still open`);
  if (after.sockets > before.sockets + MAX_KEPT_SOCKETS)
    misses.push(`${after.sockets} sockets are open, ${before.sockets} were open before`);
  if (lastAnswer.status !== 200 || lastLatencyMs > MAX_LATENCY_MS)
    misses.push(`a request after the attack: status ${lastAnswer.status}, ${lastLatencyMs.toFixed(0)} ms`);
  return misses;
}

interface ChatRequest {
  readonly model: string;
  /** The default is true. */
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

function sendChat(gateway: GatewayProcess, { model, stream = true, signal }: ChatRequest): Promise<AnswerEnd> {
  return sendRequest({
    port: gateway.port,
    path: "/v1/chat/completions",
    body: createBody(model, stream),
    timeoutMs: REQUEST_TIMEOUT_MS,
    signal,
  });
}

function createBody(model: string, stream: boolean): Buffer {
  return Buffer.from(JSON.stringify({ model, stream, messages: [{ role: "user", content: "hi" }] }));
}

/** Connects a client that sends one request and never reads the answer. */
function connectStalledClient(port: number): Socket {
  const body = createBody("stalled", true);
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.pause();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** Counts the answers by outcome, such as "503 gateway_overloaded × 12", most frequent first. */
function summarizeEnds(answerEnds: readonly AnswerEnd[]): string {
  const counts = new Map<string, number>();
  for (const { status, reason, cut } of answerEnds) {
    const outcome = [status, reason, cut].filter(Boolean).join(" ");
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([outcome, count]) => `${outcome} × ${count}`).join(", ");
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

const answerEndlessly: Answer = async (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = formatEvent([{ index: 0, delta: { content: "y".repeat(16_384) }, finish_reason: null }]);
  for (;;) await writeWithBackpressure(response, event);
};

/** Sends one character each 100 ms. */
const answerSlowly: Answer = async (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const delta of splitIntoDeltas("y".repeat(100_000), 1)) {
    await writeWithBackpressure(response, formatEvent([{ index: 0, delta, finish_reason: null }]));
    await sleep(100);
  }
};

const answerQuickly: Answer = async (response, request) => {
  await sleep(50);
  if (!request.stream) return answerWithText("ok")(response, request);
  return answerWithEvents(() => splitIntoDeltas("All is well here. ".repeat(10), 6), "stop")(response, request);
};
