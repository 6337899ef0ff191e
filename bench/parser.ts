// `npm run bench:parser`: the parser beside JSON.parse, jsonrepair and @ai-sdk-tool/parser on the same bytes, as ratios against the goals.
// All in one process, rounds interleaved, medians; absolute numbers are this machine's only.
import { jsonrepair } from "jsonrepair";
import { chunksOf } from "../test/support/chunkings.ts";
import { HOSTILE_FAMILIES } from "../test/support/hostileTexts.ts";
import { type Circumstances, countedParser } from "../test/support/parserRuns.ts";
import { hermesPeer, type Peer } from "./peer.ts";

const ROUNDS = 7;
const KB = 1024;
const MB = 1024 * KB;
/** A measurement repeats its task until it has taken this long, in milliseconds. */
const SLICE_MS = 12;

const tools = [
  {
    name: "save_chart",
    description: undefined,
    strict: undefined,
    parameters: {
      type: "object",
      properties: { text: { type: "string" }, rows: { type: "array", items: { type: "object" } } },
    },
  },
];
const request: Circumstances = {
  finishReason: "stop",
  setting: {
    tools,
    callsAllowed: true,
    toolMode: "native",
    formats: [],
    reasoningOpened: false,
    captureChars: 16 * MB,
  },
};

/** Arguments of about `size` characters: one long string, or rows of small objects. */
function argumentsOf(kind: "string" | "rows", size: number): string {
  if (kind === "string")
    return JSON.stringify({ text: 'Sounding "7" fathoms\nby the mark. '.repeat(size / 36 + 1).slice(0, size) });
  const row = { buoy: "Brest North", depth: 12.5, lit: true, seen: [3, 4] };
  return JSON.stringify({ rows: Array.from({ length: Math.max(1, Math.round(size / 62)) }, () => row) });
}

const hermes = (args: string): string => `<tool_call>\n{"name": "save_chart", "arguments": ${args}}\n</tool_call>`;

/** Characters of rows that are mended: more of them hold more than the 10,000 keys and values that are (`bodies/bodyLimits.ts`). */
const MENDED_ROWS = 48 * KB;

/** The largest arguments up to `size` that are mended. */
const mendable = (kind: "string" | "rows", size: number): string =>
  argumentsOf(kind, kind === "rows" ? Math.min(size, MENDED_ROWS) : size);

/** The same data with the faults that models make, brackets balanced. */
const brokenHermes = (args: string): string => hermes(args.replaceAll("true", "True").replace(/\}$/, ",}"));

const xml = (args: string): string => {
  const [[key, value] = ["text", ""]] = Object.entries(JSON.parse(args) as Record<string, unknown>);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `<function=save_chart>\n<parameter=${key}>\n${text}\n</parameter>\n</function>`;
};

function read(chunks: readonly string[], calls = 1): () => void {
  return () => {
    const parser = countedParser(request.setting);
    let found = 0;
    for (const chunk of chunks) for (const event of parser.feed(chunk)) if (event.type === "call") found += 1;
    for (const event of parser.finish("stop")) if (event.type === "call") found += 1;
    if (found !== calls) throw new Error(`${found} calls were read, not ${calls}.`);
  };
}

interface Contest {
  readonly name: string;
  readonly characters: number;
  readonly tasks: Readonly<Record<string, () => unknown>>;
}

/** Median milliseconds of each task, the rounds of all interleaved and every other one reversed. */
async function medians({ tasks }: Contest): Promise<Readonly<Record<string, number>>> {
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const entries = Object.entries(tasks);
    for (const [name, task] of round % 2 === 0 ? entries : entries.reverse()) {
      const found = times.get(name) ?? [];
      found.push(await timeOf(task));
      times.set(name, found);
    }
  }
  return Object.fromEntries([...times].map(([name, found]) => [name, median(found)]));
}

async function timeOf(task: () => unknown): Promise<number> {
  const started = performance.now();
  let runs = 0;
  let spent = 0;
  do {
    await task();
    runs += 1;
    spent = performance.now() - started;
  } while (spent < SLICE_MS);
  return spent / runs;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function goal(row: string, what: string, value: number, met: boolean, bound: string): void {
  console.log(`  ${met ? "pass" : "MISS"}  #${row}  ${what}: ${value.toFixed(2)} (goal ${bound})`);
}

async function measureCalls(kind: "string" | "rows", size: number, peer: Peer): Promise<void> {
  const args = argumentsOf(kind, size);
  const text = hermes(args);
  const damaged = mendable(kind, size);
  const broken = brokenHermes(damaged);
  const tasks: Record<string, () => unknown> = {
    "JSON.parse": () => JSON.parse(args),
    postel: read([text]),
    "postel, repaired": read([broken]),
    "postel, XML": read([xml(args)]),
    jsonrepair: () => jsonrepair(broken.slice("<tool_call>\n".length, -"\n</tool_call>".length)),
    ...(size <= 16 * KB && { peer: () => peer.whole(text) }),
  };
  const ms = { ...(await medians({ name: kind, characters: args.length, tasks })) };
  for (const name of ["postel, repaired", "jsonrepair"])
    ms[name] = ((ms[name] ?? Number.NaN) * args.length) / damaged.length;
  const base = ms["JSON.parse"] ?? Number.NaN;
  console.log(`\nOne call, ${kind}, ${args.length} characters`);
  for (const [name, time] of Object.entries(ms))
    console.log(
      `  ${name.padEnd(18)} ${(args.length / time / 1000).toFixed(1).padStart(8)} MB/s  ${(time / base).toFixed(1).padStart(6)} x JSON.parse  ${(time * 1000).toFixed(1)} µs`,
    );
  const own = ms.postel ?? Number.NaN;
  if (size >= 10 * KB) goal("12", "whole call / JSON.parse", own / base, own / base <= 4, "<= 4");
  if (ms.peer !== undefined) goal("12", "hermes of the peer / ours", ms.peer / own, ms.peer / own >= 15, ">= 15");
  const mended = (ms["postel, repaired"] ?? Number.NaN) / base;
  if (size >= 10 * KB) goal("14", "repair / JSON.parse", mended, mended <= 30, "<= 30");
  const tagged = (ms["postel, XML"] ?? Number.NaN) / base;
  if (size >= 10 * KB) goal("15", "XML / JSON.parse", tagged, tagged <= 10, "<= 10");
}

async function measureStreams(kind: "string" | "rows", peer: Peer): Promise<void> {
  const small = hermes(argumentsOf(kind, 4 * KB));
  const large = hermes(argumentsOf(kind, 64 * KB));
  const carrying = (text: string): readonly string[] =>
    chunksOf(text, 4).map((content) =>
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1_794_648_600,
        model: "m",
        choices: [{ index: 0, delta: { content }, finish_reason: null }],
      }),
    );
  const events = carrying(large);
  const ms = await medians({
    name: kind,
    characters: large.length,
    tasks: {
      "4 by 4, 4 KB": read(chunksOf(small, 4)),
      "4 by 4, 64 KB": read(chunksOf(large, 4)),
      "1 by 1, 4 KB": read(chunksOf(small, 1)),
      "1 by 1, 64 KB": read(chunksOf(large, 1)),
      "repair, 4 KB": read([brokenHermes(argumentsOf(kind, 4 * KB))]),
      "repair, 48 KB": read([brokenHermes(argumentsOf(kind, 48 * KB))]),
      "JSON.parse of the carrying events": () => events.map((event) => JSON.parse(event)),
      "peer, 4 by 4, 4 KB": () => peer.streamed(chunksOf(small, 4)),
    },
  });
  const at = (name: string): number => ms[name] ?? Number.NaN;
  console.log(`\nOne call streamed, ${kind}`);
  for (const [name, time] of Object.entries(ms)) console.log(`  ${name.padEnd(34)} ${time.toFixed(3)} ms`);
  for (const size of ["4 by 4", "1 by 1"]) {
    const growth = at(`${size}, 64 KB`) / at(`${size}, 4 KB`);
    goal("13", `64 KB / 4 KB, ${size}`, growth, growth <= 22, "<= 22");
  }
  const repairs = at("repair, 48 KB") / at("repair, 4 KB");
  goal("14", "repair, 48 KB / 4 KB", repairs, repairs <= 16.5, "<= 16.5");
  const share = at("4 by 4, 64 KB") / at("JSON.parse of the carrying events");
  goal("13", "parser / JSON.parse of the carrying events", share, share <= 0.15, "<= 0.15");
  const faster = at("peer, 4 by 4, 4 KB") / at("4 by 4, 4 KB");
  goal("13", "hermes of the peer / ours, 4 KB streamed", faster, faster >= 100, ">= 100");
}

async function measureHostile(): Promise<void> {
  console.log("\nHostile texts, ms per MB at 256 KB, and time(256 KB) / time(128 KB); slowest first");
  const rows = [];
  for (const { name, text } of HOSTILE_FAMILIES) {
    const run = (size: number) => {
      const chunk = text(size);
      return () => {
        const parser = countedParser({ ...request.setting, captureChars: 256 * KB });
        parser.feed(chunk);
        parser.finish("stop");
      };
    };
    const tasks = { half: run(128 * KB), full: run(256 * KB) };
    const { half = Number.NaN, full = Number.NaN } = await medians({ name, characters: 256 * KB, tasks });
    rows.push({ name, perMB: full * 4, growth: full / half });
  }
  rows.sort((a, b) => b.perMB - a.perMB);
  for (const { name, perMB, growth } of rows)
    console.log(
      `  ${perMB <= 50 && growth <= 2.3 ? "pass" : "MISS"}  ${perMB.toFixed(0).padStart(6)} ms/MB  x${growth.toFixed(2)}  ${name}`,
    );
  const met = rows.filter(({ perMB, growth }) => perMB <= 50 && growth <= 2.3).length;
  console.log(`  ${met} of ${rows.length} within 50 ms/MB and x2.3`);
}

const peer = hermesPeer();
for (const kind of ["string", "rows"] as const) {
  for (const size of [200, 10 * KB, 100 * KB]) await measureCalls(kind, size, peer);
  await measureStreams(kind, peer);
}
if (!process.argv.includes("--quick")) await measureHostile();
