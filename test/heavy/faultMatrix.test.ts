// Every way an upstream can fail × a caller that streams or not, an upstream that is asked so or not × both ways to give tools, over real sockets.
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Config } from "../../src/core/config/configuration.ts";
import { FAULTS, type Fault } from "../support/faultCells.ts";
import { RawUpstream } from "../support/RawUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../support/startGateway.ts";

/** The deadline of a request here; each cell ends within a second more. */
const DEADLINE_MS = 2_500;
/** What a caller waits for before it calls a request hung. */
const PATIENCE_MS = 30_000;
/** Cells that are under way at once: few enough that each hears its own timers. */
const AT_ONCE = 48;

const TICK_MS = 10;

interface Cell {
  readonly id: string;
  readonly name: string;
  readonly fault: Fault;
  readonly stream: boolean;
  readonly mode: "native" | "text";
  /** How the row says that the upstream is asked. */
  readonly row: "as-asked" | "always";
}

interface Outcome {
  readonly cell: Cell;
  readonly ms: number;
  readonly heard: Heard;
  /** Connections to the upstream that were left open. */
  readonly leaked: number;
}

/** A caller who streams is answered by a stream in any case; in text the upstream is always asked for one. */
const WAYS = [
  { stream: true, mode: "native", row: "as-asked" },
  { stream: true, mode: "text", row: "as-asked" },
  { stream: false, mode: "native", row: "as-asked" },
  { stream: false, mode: "native", row: "always" },
  { stream: false, mode: "text", row: "as-asked" },
] as const;

const CELLS: readonly Cell[] = FAULTS.flatMap((fault) =>
  WAYS.map(({ stream, mode, row }) => ({
    ...{ fault, stream, mode, row },
    id: `${fault.name} ${stream} ${mode} ${row}`.replaceAll(/[^A-Za-z0-9]+/g, "-"),
    name: `${fault.name} (${stream ? "streamed" : "plain"}, ${mode}, ${row})`,
  })),
);

let upstream: RawUpstream;
let gateway: RunningGateway;
let outcomes: readonly Outcome[];
/** Milliseconds that this process could work in: a busy machine's clock would judge the machine. */
let ticked = 0;
const ticking = setInterval(() => {
  ticked += TICK_MS;
}, TICK_MS).unref();

beforeAll(async () => {
  upstream = await RawUpstream.start(new Map(CELLS.map(({ id, fault }) => [id, fault.script])));
  gateway = await startGateway({ config: impatient(configFor(upstream.baseUrl)) });
  outcomes = await inParallel(CELLS, play);
}, 300_000);
afterAll(async () => {
  clearInterval(ticking);
  await gateway?.close();
  await upstream?.close();
});

function impatient(config: Config): Config {
  return {
    ...config,
    operatorModels: [{ match: ["*-always"], stream: "always", why: "test" }],
    retries: { attempts: 2, minWaitMs: 1, maxWaitMs: 20 },
    limits: { ...config.limits, answerChars: 20_000, maxCorrections: 1 },
    timeouts: {
      ...config.timeouts,
      ...{ connectMs: 500, headersMs: 700, firstEventMs: 900, idleMs: 500, answerMs: DEADLINE_MS },
    },
  };
}

describe(`an upstream that fails in ${CELLS.length} ways`, () => {
  it("is seen in at least three hundred", () => {
    expect(new Set(CELLS.map(({ id }) => id)).size).toBeGreaterThanOrEqual(300);
    expect(CELLS.filter(({ id }) => upstream.exchanges(id) === 0).map(({ name }) => name)).toEqual([]);
  });

  it("never leaves its caller waiting", () => {
    expect(those(({ ms, heard }) => !heard.ended || ms > DEADLINE_MS + 1_000)).toEqual([]);
  });

  it("is told by exactly one answer, or one end of a stream, in the form that clients read", () => {
    expect(those(({ heard }) => heard.ends !== 1)).toEqual([]);
  });

  it("never passes for a finished answer", () => {
    expect(those(({ cell, heard }) => isFalseEnd(cell.fault, heard))).toEqual([]);
  });

  it("never has a character repeated, invented or taken back", () => {
    expect(those(({ cell, heard }) => !heard.texts.every((text) => startsAs(cell.fault.text, text)))).toEqual([]);
  });

  it("never makes a call of what was cut", () => {
    expect(those(({ cell, heard }) => heard.calls.length > cell.fault.wholeCalls || heard.calls.some(isWrong))).toEqual(
      [],
    );
  });

  it("is left: no connection stays open behind the answer", () => {
    expect(those(({ leaked }) => leaked > 0)).toEqual([]);
  });

  it("is none where it does nothing wrong", () => {
    expect(those(({ cell, heard }) => cell.fault.ending === "whole" && heard.failed)).toEqual([]);
  });
});

function those(breaks: (outcome: Outcome) => boolean): readonly string[] {
  return outcomes.filter(breaks).map(({ cell, ms, heard }) => `${cell.name}: ${ms} ms, ${heard.summary}`);
}

function isFalseEnd({ ending }: Fault, { failed, finish }: Heard): boolean {
  if (ending === "cut") return !failed;
  return ending === "length" && !failed && finish !== "length" && finish !== "tool_calls";
}

/** The white space before a call that was taken out is the gateway's to keep or to drop. */
function startsAs(sent: string, got: string): boolean {
  return sent.startsWith(got) || sent.trimEnd() === got.trimEnd();
}

function isWrong(args: string): boolean {
  return JSON.stringify(JSON.parse(args)) !== '{"city":"Paris"}';
}

async function inParallel(cells: readonly Cell[], run: (cell: Cell) => Promise<Outcome>): Promise<readonly Outcome[]> {
  const waiting = cells.values();
  const found: Outcome[] = [];
  const work = async () => {
    for (const cell of waiting) found.push(await run(cell));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function play(cell: Cell): Promise<Outcome> {
  const started = ticked;
  const heard = read(await ask(cell));
  const ms = ticked - started;
  if (cell.fault.reusable) return { cell, ms, heard, leaked: 0 };
  for (let waited = 0; waited < 1_000 && upstream.open(cell.id) > 0; waited += 20) await sleep(20);
  return { cell, ms, heard, leaked: upstream.open(cell.id) };
}

interface Raw {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly ended: boolean;
}

function ask({ id, stream, mode }: Cell): Promise<Raw> {
  const tools = [
    {
      type: "function",
      function: {
        name: "look_up",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    },
  ];
  const body = JSON.stringify({ model: id, stream, tools, messages: [{ role: "user", content: "Where?" }] });
  return new Promise((resolve) => {
    let raw: Raw = { status: 0, type: "", body: "", ended: false };
    const asking = request(
      `${gateway.url}/v1/chat/completions`,
      {
        method: "POST",
        agent: false,
        headers: { "content-type": "application/json", "x-postel-tool-mode": mode },
        signal: AbortSignal.timeout(PATIENCE_MS),
      },
      (response) => {
        raw = { ...raw, status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "" };
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (raw = { ...raw, body: raw.body + piece }));
        response.on("end", () => resolve({ ...raw, ended: true }));
        response.on("error", () => resolve(raw));
      },
    );
    asking.on("error", () => resolve(raw));
    asking.end(body);
  });
}

/** What a client makes of an answer. */
interface Heard {
  readonly ended: boolean;
  /** How many ends it has: errors, finish reasons, whole completions. One is right. */
  readonly ends: number;
  readonly failed: boolean;
  readonly finish: string | undefined;
  /** Content, and where there is one the content of `partial`. */
  readonly texts: readonly string[];
  readonly calls: readonly string[];
  readonly summary: string;
}

interface Said {
  readonly error?: { readonly code?: unknown; readonly partial?: { readonly content?: string } };
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: Words;
    readonly message?: Words;
  }[];
}

interface Words {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly index?: number; readonly function: { readonly arguments?: string } }[];
}

function read(raw: Raw): Heard {
  const streamed = raw.type.startsWith("text/event-stream");
  const data = streamed ? [...raw.body.matchAll(/^data: (.*)$/gm)].map(([, line = ""]) => line) : [raw.body];
  const done = data.filter((line) => line === "[DONE]").length;
  const said = data.filter((line) => line !== "[DONE]").flatMap(parse);
  const errors = said.flatMap(({ error }) => error ?? []);
  const choices = said.flatMap((one) => one.choices ?? []);
  const finishes = choices.flatMap((choice) => choice.finish_reason ?? []);
  const words = choices.flatMap((choice) => choice.delta ?? choice.message ?? []);
  const fragments = words.flatMap((one) => one.tool_calls ?? []);
  const calls = new Map<number, string>();
  for (const [i, { index = i, function: called }] of fragments.entries())
    calls.set(index, (calls.get(index) ?? "") + (called.arguments ?? ""));
  const code = errors[0]?.code;
  const wellFormed = streamed ? done === finishes.length : raw.type.startsWith("application/json");
  return {
    ended: raw.ended,
    ends: wellFormed && (errors.length === 0 || typeof code === "string") ? errors.length + finishes.length : 0,
    failed: errors.length > 0 && (streamed || raw.status >= 400),
    finish: finishes[0],
    texts: [words.map(({ content }) => content ?? "").join(""), ...errors.map(({ partial }) => partial?.content ?? "")],
    calls: [...calls.values()],
    summary: `${raw.status} ${raw.ended ? "" : "not ended "}${code ?? finishes.join(" and ")} ${raw.body.slice(-300)}`,
  };
}

function parse(line: string): readonly Said[] {
  try {
    return [JSON.parse(line) as Said];
  } catch {
    return [];
  }
}
