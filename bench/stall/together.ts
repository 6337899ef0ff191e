// The combined attack: endless answers, a drip, readers that do not read and far too many requests, all at once, and what is left of it five seconds later.
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Ending } from "./ask.ts";
import { GatewayProcess } from "./GatewayProcess.ts";
import { type Answer, deltas, event, HostileUpstream, says, send, streams } from "./HostileUpstream.ts";
import { hotspots } from "./hotspots.ts";

const ENDLESS = 4;
const STALLED = 100;
const AT_ONCE = 1_500;
/** Between two waves of requests. Milliseconds. */
const PAUSE_MS = 1_000;
const PATIENCE_MS = 120_000;
/** `timeouts.client_stall_ms`, and some for a busy machine. */
const READER_MS = 35_000;
const RSS_MB = 512;
const RECOVERY_MS = 5_000;
/** For a plain request when all is over. */
const LATENCY_MS = 1_000;
/** Sockets that may be more than before: what is kept open to be used again. */
const KEPT = 8;

interface Tally {
  readonly endings: Ending[];
  waves: number;
}

export interface TogetherOptions {
  readonly seconds: number;
  /** For the gateway's files. */
  readonly folder: string;
  /** A file for the gateway's CPU profile. */
  readonly profile?: string | undefined;
  readonly tell: (line: string) => void;
}

/** One line for each thing that is not as it should be. */
export async function together({ seconds, folder, profile, tell }: TogetherOptions): Promise<readonly string[]> {
  const upstream = await HostileUpstream.start(
    new Map<string, Answer>([
      ["endless", endless],
      ["stalled", endless],
      ["drip", drip],
      ["quick", quick],
    ]),
  );
  const gateway = await GatewayProcess.start(upstream.baseUrl, folder);
  try {
    return await attack({ gateway, upstream, seconds, profile, tell });
  } finally {
    await gateway.stop();
    await upstream.close();
  }
}

interface Battle extends Omit<TogetherOptions, "folder"> {
  readonly gateway: GatewayProcess;
  readonly upstream: HostileUpstream;
}

async function attack({ gateway, upstream, seconds, profile, tell }: Battle): Promise<readonly string[]> {
  await one(gateway, "quick");
  await sleep(500);
  await gateway.reset();
  const before = await gateway.report();
  await gateway.reset(profile);

  const faults: string[] = [];
  const end = performance.now() + seconds * 1_000;
  const over = new AbortController();
  const tally: Tally = { endings: [], waves: 0 };
  const stalled = Array.from({ length: STALLED }, () => stall(gateway.port));
  const dripping = one(gateway, "drip", over.signal);
  await Promise.all([
    ...Array.from({ length: ENDLESS }, (_, i) =>
      again(end, tally, () => one(gateway, "endless", undefined, i % 2 === 1)),
    ),
    waves(gateway, end, tally),
  ]);
  over.abort();
  await dripping;
  const during = await gateway.report();
  // What the buffers of the system take counts as read, and the attack fills them slowly.
  const left = seconds * 1_000 > READER_MS ? await openAfter(upstream, READER_MS) : 0;
  for (const socket of stalled) socket.destroy();

  await sleep(RECOVERY_MS);
  await gateway.reset();
  const after = await gateway.report();
  const started = performance.now();
  const last = gateway.alive ? await one(gateway, "quick") : undefined;
  const latency = performance.now() - started;

  if (!during || !after || !before) return ["the gateway died"];
  const megabytes = during.peakRss / 1024 / 1024;
  tell(
    `${tally.waves} waves of ${AT_ONCE} requests and ${ENDLESS} endless answers in ${seconds} s: ${counted(tally.endings)}`,
  );
  tell(
    `peak RSS ${megabytes.toFixed(0)} MB, longest slice ${during.slices[0]?.cpuMs.toFixed(0)} ms, /health waited ${during.health.longestMs.toFixed(0)} ms`,
  );
  tell(
    `${RECOVERY_MS / 1_000} s later: ${upstream.open()} answers of the upstream open, ${after.sockets} sockets (${before.sockets} before), a request takes ${latency.toFixed(0)} ms`,
  );
  const [worst] = during.slices;
  if (profile && worst) for (const line of hotspots(profile, worst.from, worst.to)) tell(`          ${line}`);
  if (megabytes > RSS_MB) faults.push(`peak RSS ${megabytes.toFixed(0)} MB, not ${RSS_MB}`);
  const cut = tally.endings.filter((ending) => ending.cut);
  if (cut.length > 0) faults.push(`${cut.length} answers were cut off: ${counted(cut)}`);
  const untyped = tally.endings.filter((ending) => !ending.typed);
  if (untyped.length > 0) faults.push(`${untyped.length} answers have no form: ${counted(untyped)}`);
  if (left > 0) faults.push(`${left} answers went on for readers that had not read for ${READER_MS / 1_000} s`);
  if (during.health.failures > 0) faults.push(`/health failed ${during.health.failures} times`);
  if (upstream.open() > 0) faults.push(`${upstream.open()} answers of the upstream are still open`);
  if (after.sockets > before.sockets + KEPT)
    faults.push(`${after.sockets} sockets are open, ${before.sockets} were before`);
  if (last?.status !== 200 || latency > LATENCY_MS)
    faults.push(`a plain request afterwards: ${last?.status}, ${latency.toFixed(0)} ms`);
  return faults;
}

/** Answers to the stalled that are still open when `ms` have passed since the attack was over. */
async function openAfter(upstream: HostileUpstream, ms: number): Promise<number> {
  const end = performance.now() + ms;
  while (upstream.open("stalled") > 0 && performance.now() < end) await sleep(100);
  return upstream.open("stalled");
}

async function waves(gateway: GatewayProcess, end: number, tally: Tally): Promise<void> {
  while (performance.now() < end && gateway.alive) {
    tally.waves += 1;
    const wave = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => one(gateway, "quick", undefined, i % 2 === 1)),
    );
    tally.endings.push(...wave);
    await sleep(PAUSE_MS);
  }
}

async function again(end: number, tally: Tally, act: () => Promise<Ending>): Promise<void> {
  while (performance.now() < end) {
    tally.endings.push(await act());
    await sleep(PAUSE_MS / 10);
  }
}

function one(gateway: GatewayProcess, model: string, signal?: AbortSignal, stream = true): Promise<Ending> {
  return ask({
    port: gateway.port,
    path: "/v1/chat/completions",
    body: bodyFor(model, stream),
    patienceMs: PATIENCE_MS,
    signal,
  });
}

function bodyFor(model: string, stream: boolean): Buffer {
  return Buffer.from(JSON.stringify({ model, stream, messages: [{ role: "user", content: "hi" }] }));
}

/** A caller that sends its request and never reads. */
function stall(port: number): Socket {
  const body = bodyFor("stalled", true);
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.pause();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** "503 gateway_overloaded × 12", the most frequent first. */
function counted(endings: readonly Ending[]): string {
  const counts = new Map<string, number>();
  for (const { status, said, cut } of endings) {
    const name = [status, said, cut].filter(Boolean).join(" ");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${name} × ${count}`).join(", ");
}

const endless: Answer = async (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const piece = event([{ index: 0, delta: { content: "y".repeat(16_384) }, finish_reason: null }]);
  for (;;) await send(response, piece);
};

const drip: Answer = async (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const delta of deltas("y".repeat(100_000), 1)) {
    await send(response, event([{ index: 0, delta, finish_reason: null }]));
    await sleep(100);
  }
};

const quick: Answer = async (response, asked) => {
  await sleep(50);
  if (!asked.stream) return says("ok")(response, asked);
  return streams(() => deltas("All is well here. ".repeat(10), 6), "stop")(response, asked);
};
