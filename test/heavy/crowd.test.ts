import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { chunk, FakeUpstream } from "../support/FakeUpstream.ts";

// Crowds at the door of a gateway that is a process of its own, so that its memory and its descriptors are its own.
jest.setTimeout(180_000);

let upstream: FakeUpstream | undefined;
let child: ChildProcess | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  if (child?.exitCode === null) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  child = undefined;
  await upstream?.close();
});

let open = 0;
/** Answers that were begun, those that are over too. */
let begun = 0;

/** One upstream: `endless` talks as fast as it is heard, `drip` now and then, `slow` takes half a second, everything else answers at once. */
async function startAll(settings: string, shell = ""): Promise<string> {
  open = 0;
  upstream = await FakeUpstream.start(({ path, body }, response) => {
    if (path.endsWith("/models")) {
      response.end('{"data":[]}');
      return;
    }
    open += 1;
    begun += 1;
    response.once("close", () => {
      open -= 1;
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const end = () => response.end(`${chunk("fine", "stop")}data: [DONE]\n\n`);
    const talk = (): void => {
      while (!response.destroyed && response.write(chunk("y".repeat(16_384))));
      if (!response.destroyed) response.once("drain", talk);
    };
    if (body.model === "endless") talk();
    else if (body.model === "drip") {
      const timer = setInterval(() => response.write(chunk("drop ")), 20);
      response.once("close", () => clearInterval(timer));
    } else if (body.model === "slow") setTimeout(end, 500);
    else end();
  });
  const file = join(mkdtempSync(join(tmpdir(), "postel-crowd-")), "postel.yaml");
  writeFileSync(
    file,
    `upstreams:\n  - {id: fake, type: openai, base_url: "${upstream.baseUrl}"}\nretries: {attempts: 1}\n${settings}`,
  );
  const command = `${shell} exec '${process.execPath}' src/main.ts serve --port 0 --config '${file}'`;
  child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore"], cwd: resolve(".") });
  if (!child.stdout) throw new Error("no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error("It ended before it said where it listens.");
}

const request = (model: string, stream: boolean): string => {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], stream });
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

/** What came until the end of the connection; `reset` and the like where it had no end. */
function ask(url: string, model: string, stream = false): Promise<string> {
  return new Promise((done) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    sockets.push(socket);
    let text = "";
    socket.on("connect", () => socket.write(request(model, stream)));
    socket.on("data", (bytes) => {
      text += String(bytes);
    });
    socket.on("end", () => done(text));
    socket.on("error", (error: NodeJS.ErrnoException) => done(`${error.code} after ${text.length}`));
  });
}

/** One that asks and never reads. */
async function stall(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.pause();
  socket.write(request("endless", true));
}

/** Bytes. */
function residentMemory(): number {
  const status = readFileSync(`/proc/${child?.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
}

async function until(true_: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await true_())) await wait(50);
}

const kindOf = (text: string): string => {
  if (/^HTTP\/1\.1 200 /.test(text)) return "answered";
  return /^HTTP\/1\.1 503 [\s\S]*retry-after: \d[\s\S]*"gateway_overloaded"/i.test(text)
    ? "overloaded"
    : text.slice(0, 200);
};

function turnUsage(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of texts.map(kindOf)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

describe("a crowd", () => {
  it.each([
    ["each has a place or waits for one", "server: {queue_ms: 600000}", { answered: 1_500 }],
    [
      "where few can wait the rest are told to come again",
      "server: {max_in_flight: 50, max_queued: 100, queue_ms: 600000}",
      { answered: expect.any(Number), overloaded: expect.any(Number) },
    ],
  ])("of 1,500 at once has no reset: %s", async (_name, settings, expected) => {
    const url = await startAll(settings);
    const answers = await Promise.all(Array.from({ length: 1_500 }, () => ask(url, "slow")));
    expect(turnUsage(answers)).toEqual(expected);
    expect(residentMemory()).toBeLessThan(512 * 2 ** 20);
    expect(kindOf(await ask(url, "quick"))).toBe("answered");
  });

  it("of 100 that never read holds less than 2 MiB for each, is cut, and frees its upstreams", async () => {
    const url = await startAll("timeouts: {client_stall_ms: 5000}");
    // A heap grows with what passes through it; what is asked here is what the stalled ones add to that.
    await Promise.all(Array.from({ length: 25 }, () => ask(url, "endless", true)));
    await until(() => open === 0);
    const before = residentMemory();
    const others = begun;
    await Promise.all(Array.from({ length: 100 }, () => stall(url)));
    // On a slow machine the first is cut before the last is begun.
    await until(() => begun === others + 100);
    let peak = 0;
    await until(() => {
      peak = Math.max(peak, residentMemory());
      return open === 0;
    });
    expect(peak - before).toBeLessThan(100 * 2 * 2 ** 20);
    expect(kindOf(await ask(url, "quick", true))).toBe("answered");
  });

  it("that takes every descriptor stops no stream, and the gateway recovers when it has gone", async () => {
    const url = await startAll("", "ulimit -n 128;");
    const running = connect(Number(new URL(url).port), "127.0.0.1");
    sockets.push(running);
    let heard = 0;
    running.on("data", (bytes: Buffer) => {
      heard += bytes.length;
    });
    running.write(request("drip", true));
    await until(() => heard > 0);
    const crowd = Array.from({ length: 300 }, () => connect(Number(new URL(url).port), "127.0.0.1"));
    for (const socket of crowd) socket.on("error", () => {});
    await wait(1_000);
    const then = heard;
    await until(() => heard > then + 1_000);
    for (const socket of crowd) socket.destroy();
    await until(async () => kindOf(await ask(url, "quick")) === "answered");
    expect(running.destroyed).toBe(false);
  });
});
