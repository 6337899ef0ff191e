// Compares Postel's parser with JSON.parse, jsonrepair and @ai-sdk-tool/parser on the same texts, and judges the ratios.
// All parsers run in one process. Their rounds are interleaved, and times are medians.
// Usage: npm run bench:parser -- [--quick]
//   --quick  leaves out the hostile texts
import { jsonrepair } from "jsonrepair";
import { chunksOf } from "../test/support/chunkings.ts";
import { HOSTILE_FAMILIES } from "../test/support/hostileTexts.ts";
import { countedParser, type ParserSetting } from "../test/support/parserRuns.ts";
import { computeMedian } from "./median.ts";
import {
  type ArgumentKind,
  createArguments,
  createRepairableArguments,
  formatBrokenHermesBody,
  formatBrokenHermesCall,
  formatHermesCall,
  formatXmlCall,
} from "./parserTexts.ts";
import { createHermesPeer, type PeerParser } from "./peer.ts";

const ROUNDS = 7;
const KB = 1024;
const MB = 1024 * KB;
/** A task is repeated until a measurement has taken this long. Milliseconds. */
const MIN_MEASUREMENT_MS = 12;
/** Goals for hostile texts: milliseconds per MB, and time for 256 KB ÷ time for 128 KB. */
const MAX_MS_PER_MB = 50;
const MAX_GROWTH = 2.3;

const SETTING: ParserSetting = {
  tools: [
    {
      name: "save_chart",
      description: undefined,
      strict: undefined,
      parameters: {
        type: "object",
        properties: { text: { type: "string" }, rows: { type: "array", items: { type: "object" } } },
      },
    },
  ],
  callsAllowed: true,
  toolMode: "native",
  formats: [],
  reasoningOpened: false,
  captureChars: 16 * MB,
};

type Tasks = Readonly<Record<string, () => unknown>>;

/** Milliseconds by the name of the task. */
type Times = Readonly<Record<string, number>>;

/** Returns a task that parses the chunks. The task throws an error unless the parser finds one call. */
function createParseTask(chunks: readonly string[]): () => void {
  return () => {
    const parser = countedParser(SETTING);
    let calls = 0;
    for (const chunk of chunks) for (const event of parser.feed(chunk)) if (event.type === "call") calls += 1;
    for (const event of parser.finish("stop")) if (event.type === "call") calls += 1;
    if (calls !== 1) throw new Error(`The parser found ${calls} calls instead of 1.`);
  };
}

/** Measures each task in every round. Every other round runs the tasks in reverse order. */
async function measureTasks(tasks: Tasks): Promise<Times> {
  const entries = Object.entries(tasks).map(([name, task]) => ({ name, task, times: [] as number[] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    const ordered = round % 2 === 0 ? entries : entries.toReversed();
    for (const { task, times } of ordered) times.push(await measureTask(task));
  }
  return Object.fromEntries(entries.map(({ name, times }) => [name, computeMedian(times)]));
}

/** Returns the mean time of one run in milliseconds. */
async function measureTask(task: () => unknown): Promise<number> {
  const startedAt = performance.now();
  let runs = 0;
  let elapsedMs = 0;
  do {
    await task();
    runs += 1;
    elapsedMs = performance.now() - startedAt;
  } while (elapsedMs < MIN_MEASUREMENT_MS);
  return elapsedMs / runs;
}

/** A bound for a ratio: exactly one of `max` and `min`. */
type Bound = { readonly max: number } | { readonly min: number };

function printGoal(label: string, ratio: number, bound: Bound): void {
  const isMet = "max" in bound ? ratio <= bound.max : ratio >= bound.min;
  const text = "max" in bound ? `≤ ${bound.max}` : `≥ ${bound.min}`;
  console.log(`  ${isMet ? "pass" : "MISS"}  ${label}: ${ratio.toFixed(2)} (goal ${text})`);
}

/** Measures one call of `size` characters that arrives as one text. */
async function measureWholeCall(kind: ArgumentKind, size: number, peer: PeerParser): Promise<void> {
  const args = createArguments(kind, size);
  const repairable = createRepairableArguments(kind, size);
  const hermesCall = formatHermesCall(args);
  const brokenBody = formatBrokenHermesBody(repairable);
  const times = await measureTasks({
    "JSON.parse": () => JSON.parse(args),
    postel: createParseTask([hermesCall]),
    "postel, repaired": createParseTask([formatBrokenHermesCall(repairable)]),
    "postel, XML": createParseTask([formatXmlCall(args)]),
    jsonrepair: () => jsonrepair(brokenBody),
    ...(size <= 16 * KB && { peer: () => peer.parseText(hermesCall) }),
  });
  const scale = args.length / repairable.length;
  const scaledTimes = Object.fromEntries(
    Object.entries(times).map(([name, ms]) => {
      const isRepair = name === "postel, repaired" || name === "jsonrepair";
      return [name, isRepair ? ms * scale : ms];
    }),
  );
  console.log(`\nOne whole call, ${kind}, ${args.length} characters`);
  printWholeCall(scaledTimes, args.length);
  judgeWholeCall(scaledTimes, size);
}

function printWholeCall(times: Times, characters: number): void {
  for (const [name, ms] of Object.entries(times)) {
    const rate = (characters / ms / 1000).toFixed(1).padStart(8);
    const ratio = (ms / readTime(times, "JSON.parse")).toFixed(1).padStart(6);
    console.log(`  ${name.padEnd(18)} ${rate} MB/s  ${ratio} × JSON.parse  ${(ms * 1000).toFixed(1)} µs`);
  }
}

function judgeWholeCall(times: Times, size: number): void {
  const jsonParse = readTime(times, "JSON.parse");
  const postel = readTime(times, "postel");
  if (size >= 10 * KB) printGoal("whole call ÷ JSON.parse", postel / jsonParse, { max: 4 });
  if (times.peer !== undefined) printGoal("peer's Hermes parser ÷ postel", times.peer / postel, { min: 15 });
  if (size < 10 * KB) return;
  printGoal("repaired call ÷ JSON.parse", readTime(times, "postel, repaired") / jsonParse, { max: 30 });
  printGoal("XML call ÷ JSON.parse", readTime(times, "postel, XML") / jsonParse, { max: 10 });
}

function readTime(times: Times, name: string): number {
  return times[name] ?? Number.NaN;
}

/** Measures calls that arrive in chunks of 4 characters and of 1 character. */
async function measureStreamedCalls(kind: ArgumentKind, peer: PeerParser): Promise<void> {
  const small = formatHermesCall(createArguments(kind, 4 * KB));
  const large = formatHermesCall(createArguments(kind, 64 * KB));
  const streamEvents = createStreamEvents(chunksOf(large, 4));
  const times = await measureTasks({
    "chunks of 4, 4 KB": createParseTask(chunksOf(small, 4)),
    "chunks of 4, 64 KB": createParseTask(chunksOf(large, 4)),
    "chunks of 1, 4 KB": createParseTask(chunksOf(small, 1)),
    "chunks of 1, 64 KB": createParseTask(chunksOf(large, 1)),
    "repair, 4 KB": createParseTask([formatBrokenHermesCall(createArguments(kind, 4 * KB))]),
    "repair, 48 KB": createParseTask([formatBrokenHermesCall(createArguments(kind, 48 * KB))]),
    "JSON.parse of the stream's events": () => streamEvents.map((event) => JSON.parse(event)),
    "peer, chunks of 4, 4 KB": () => peer.parseChunks(chunksOf(small, 4)),
  });
  console.log(`\nOne streamed call, ${kind}`);
  for (const [name, ms] of Object.entries(times)) console.log(`  ${name.padEnd(34)} ${ms.toFixed(3)} ms`);
  const divide = (numerator: string, denominator: string) => readTime(times, numerator) / readTime(times, denominator);
  for (const chunks of ["chunks of 4", "chunks of 1"])
    printGoal(`64 KB ÷ 4 KB, ${chunks}`, divide(`${chunks}, 64 KB`, `${chunks}, 4 KB`), { max: 22 });
  printGoal("repair, 48 KB ÷ 4 KB", divide("repair, 48 KB", "repair, 4 KB"), { max: 16.5 });
  const shareOfEvents = divide("chunks of 4, 64 KB", "JSON.parse of the stream's events");
  printGoal("parser ÷ JSON.parse of the stream's events", shareOfEvents, { max: 0.15 });
  const peerRatio = divide("peer, chunks of 4, 4 KB", "chunks of 4, 4 KB");
  printGoal("peer's Hermes parser ÷ postel, 4 KB streamed", peerRatio, { min: 100 });
}

/** Returns the JSON of chat completion chunks, one for each text. */
function createStreamEvents(texts: readonly string[]): readonly string[] {
  const common = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_794_648_600, model: "m" };
  return texts.map((content) =>
    JSON.stringify({ ...common, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  );
}

/** Measures texts that are built to slow the parser down, and prints the slowest first. */
async function measureHostileTexts(): Promise<void> {
  console.log("\nHostile texts: ms per MB at 256 KB, and time for 256 KB ÷ time for 128 KB; slowest first");
  const rows = [];
  for (const { name, text } of HOSTILE_FAMILIES) {
    const { half = Number.NaN, full = Number.NaN } = await measureTasks({
      half: createHostileTask(text(128 * KB)),
      full: createHostileTask(text(256 * KB)),
    });
    const [msPerMb, growth] = [full * 4, full / half];
    rows.push({ name, msPerMb, growth, isMet: msPerMb <= MAX_MS_PER_MB && growth <= MAX_GROWTH });
  }
  rows.sort((a, b) => b.msPerMb - a.msPerMb);
  for (const { name, msPerMb, growth, isMet } of rows)
    console.log(
      `  ${isMet ? "pass" : "MISS"}  ${msPerMb.toFixed(0).padStart(6)} ms/MB  × ${growth.toFixed(2)}  ${name}`,
    );
  const met = rows.filter(({ isMet }) => isMet).length;
  console.log(`  ${met} of ${rows.length} texts meet the goals: ≤ ${MAX_MS_PER_MB} ms/MB and ≤ × ${MAX_GROWTH}`);
}

function createHostileTask(text: string): () => void {
  return () => {
    const parser = countedParser({ ...SETTING, captureChars: 256 * KB });
    parser.feed(text);
    parser.finish("stop");
  };
}

const peer = createHermesPeer();
for (const kind of ["string", "rows"] as const) {
  for (const size of [200, 10 * KB, 100 * KB]) await measureWholeCall(kind, size, peer);
  await measureStreamedCalls(kind, peer);
}
if (!process.argv.includes("--quick")) await measureHostileTexts();
