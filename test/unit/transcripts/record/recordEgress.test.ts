import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import type { Clock, Egress, EgressResponse } from "../../../../src/core/ports.ts";
import { parseTranscript, type RecordedExchange } from "../../../../src/transcripts/format/Transcript.ts";
import { type Ended, recordEgress } from "../../../../src/transcripts/record/recordEgress.ts";
import { recordRequests } from "../../../../src/transcripts/record/recordRequests.ts";
import { TranscriptFolder, type UnrecordedExchanges } from "../../../../src/transcripts/record/TranscriptFolder.ts";
import { ReplayEgress } from "../../../../src/transcripts/replay/ReplayEgress.ts";
import { CHAT_URL, chat, never, readAll } from "../../../support/transcripts/exchanges.ts";

const SECRET = "s3cret-value";
const clock: Clock = { now: () => 1_794_648_600_000, monotonic: () => 0, sleep: async () => {} };
const redact = (text: string): string => text.replaceAll(SECRET, "[redacted]");
const question = chat({ model: "tide-model", messages: [{ role: "user", content: "When is low tide?" }] });

function upstream(pieces: readonly string[], breaks?: Error): Egress {
  return {
    send: async (): Promise<EgressResponse> => ({
      status: 200,
      headers: { "content-type": "text/event-stream", "set-cookie": SECRET, "x-internal": "1" },
      body: (async function* () {
        for (const piece of pieces) yield Buffer.from(piece);
        if (breaks) throw breaks;
      })(),
    }),
  };
}

function recording(inner: Egress): { egress: Egress; written: () => Promise<readonly RecordedExchange[]> } {
  const ended: Ended<RecordedExchange>[] = [];
  const sink = { write: (exchange: Ended<RecordedExchange>) => void ended.push(exchange), lose: () => {} };
  const written = () => Promise.all(ended.map((exchange) => exchange.redacted()));
  return { egress: recordEgress(inner, { sink, redact, clock }), written };
}

describe("recordEgress", () => {
  it("writes down an exchange with its pieces and passes them on untouched", async () => {
    const { egress, written } = recording(upstream(["one ", "two"]));
    expect(await readAll((await egress.send(question, never)).body)).toBe("one two");
    const exchanges = await written();
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]).toMatchObject({
      n: 0,
      run: "run1",
      method: "POST",
      url: CHAT_URL,
      body: { model: "tide-model" },
      response: { status: 200, headers: { "content-type": "text/event-stream" } },
      end: { how: "complete" },
    });
    expect(exchanges[0]?.chunks.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["one ", "two"]);
  });

  it("numbers exchanges at sending, not at their end", async () => {
    const { egress, written } = recording(upstream(["x"]));
    const first = await egress.send(question, never);
    await readAll((await egress.send(question, never)).body);
    await readAll(first.body);
    expect((await written()).map(({ n }) => n)).toEqual([1, 0]);
  });

  it("says how an exchange ended: left, broken, or never answered", async () => {
    const broke = new PostelError(createFailure("upstream_truncated", "it broke"));
    const left = recording(upstream(["x", "y"]));
    for await (const _ of (await left.egress.send(question, never)).body) break;
    const broken = recording(upstream(["x"], broke));
    await expect(readAll((await broken.egress.send(question, never)).body)).rejects.toBe(broke);
    const refused = recording({
      send: () => Promise.reject(new PostelError(createFailure("upstream_unavailable", "no"))),
    });
    await expect(refused.egress.send(question, never)).rejects.toThrow("no");
    const all = await Promise.all([left, broken, refused].map(({ written }) => written()));
    const ends = all.map((written) => [written.length, written[0]?.end]);
    expect(ends).toEqual([
      [1, { ms: 0, how: "aborted" }],
      [1, { ms: 0, how: "broken", failure: { code: "upstream_truncated", message: "it broke" } }],
      [1, { ms: 0, how: "broken", failure: { code: "upstream_unavailable", message: "no" } }],
    ]);
  });

  it("lets no secret reach the record: not from headers, URL, body, or an answer that cuts it in two", async () => {
    const { egress, written } = recording(upstream(["data: s3cr", "et-value end"]));
    const request = {
      ...chat({ model: "m", messages: [{ role: "user", content: `my key is ${SECRET}` }] }),
      url: `http://user:${SECRET}@up.test/v1/chat/completions?api_key=other-secret&page=2`,
      headers: {
        authorization: "Bearer other-secret",
        "x-api-key": "other-secret",
        cookie: "other-secret",
        accept: "*/*",
      },
    };
    expect(await readAll((await egress.send(request, never)).body)).toBe(`data: ${SECRET} end`);
    const exchanges = await written();
    const text =
      JSON.stringify(exchanges) + Buffer.concat((exchanges[0]?.chunks ?? []).map(({ bytes }) => bytes)).toString();
    expect(text).not.toMatch(/s3cret-value|other-secret/);
    expect(text).toContain("data: [redacted] end");
    expect(exchanges[0]?.url).toBe("http://up.test/v1/chat/completions?api_key=redacted&page=2");
    expect(exchanges[0]?.headers).toEqual({ accept: "*/*" });
  });
});

describe("recordEgress of an answer that sends its request elsewhere", () => {
  it("writes down where to, whole and without secrets: a replay goes there too", async () => {
    const location = `../next?token=abc&q=${SECRET}#here`;
    const { egress, written } = recording({
      send: async () => ({ status: 302, headers: { location, "set-cookie": SECRET }, body: (async function* () {})() }),
    });
    await readAll((await egress.send(question, never)).body);
    const [exchange] = await written();
    const target = new URL("../next?token=redacted&q=%5Bredacted%5D", CHAT_URL).href;
    expect(exchange?.response?.headers).toEqual({ location: target });
  });
});

describe("TranscriptFolder", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "postel-transcripts-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it("keeps one file a run, in the order of sending, that replays as it was recorded", async () => {
    const sink = new TranscriptFolder(join(folder, "new"));
    const egress = recordEgress(upstream(["one"]), { sink, redact, clock });
    const first = await egress.send(question, never);
    await readAll((await egress.send(question, never)).body);
    await readAll(first.body);
    await readAll((await egress.send({ ...question, purpose: { ...question.purpose, run: "../run/2" } }, never)).body);
    await sink.flush();
    expect((await readdir(join(folder, "new"))).sort()).toEqual(["---run-2.jsonl", "run1.jsonl"]);
    const transcript = parseTranscript(await readFile(join(folder, "new", "run1.jsonl"), "utf8"), "run1.jsonl");
    expect(transcript.exchanges.map(({ n }) => n)).toEqual([0, 1]);
    expect(transcript.header).toMatchObject({ model: "tide-model", asked: "When is low tide?" });
    const replay = new ReplayEgress(transcript);
    expect(await readAll((await replay.send(question, never)).body)).toBe("one");
  });

  it("gives a run whose id is taken a file of its own, after a restart and where a caller uses an id again", async () => {
    const request = { path: "/v1/agent", body: { model: "tide-model", messages: [] } } as const;
    for (const _restart of [1, 2]) {
      const sink = new TranscriptFolder(folder);
      const egress = recordEgress(upstream(["one"]), { sink, redact, clock });
      for (const _again of [1, 2]) {
        sink.begin("run1", async () => request);
        await readAll((await egress.send(question, never)).body);
        await readAll((await egress.send(question, never)).body);
      }
      await sink.flush();
    }
    const files = ["run1-2.jsonl", "run1-3.jsonl", "run1-4.jsonl", "run1.jsonl"];
    expect((await readdir(folder)).sort()).toEqual(files);
    for (const file of files) {
      const { header, exchanges } = parseTranscript(await readFile(join(folder, file), "utf8"), file);
      expect(header.request).toEqual(request);
      expect(exchanges).toHaveLength(2);
    }
  });

  it("writes what the caller asked beside what came of it, without its secrets", async () => {
    const sink = new TranscriptFolder(folder);
    const observer = recordRequests({ sink, redact });
    const body = { model: "tide-model", messages: [{ role: "user", content: `When, ${SECRET}?` }] };
    const request = { path: "/v1/chat/completions", toolMode: "text", body } as const;
    observer.observe({ type: "request-received", run: "run1", request });
    await readAll((await recordEgress(upstream(["one"]), { sink, redact, clock }).send(question, never)).body);
    await sink.flush();
    const { header } = parseTranscript(await readFile(join(folder, "run1.jsonl"), "utf8"), "run1.jsonl");
    expect(header).toMatchObject({
      asked: "When, [redacted]?",
      request: { path: "/v1/chat/completions", tool_mode: "text", body: { model: "tide-model" } },
    });
    expect(JSON.stringify(header)).not.toContain(SECRET);
  });

  it("adds the next exchange to the file without reading what is there, and one that was sent before in its place", async () => {
    const sink = new TranscriptFolder(folder);
    const egress = recordEgress(upstream(["one"]), { sink, redact, clock });
    const file = join(folder, "run1.jsonl");
    const late = await egress.send(question, never);
    await readAll((await egress.send(question, never)).body);
    await sink.flush();
    // Nobody could read this line.
    await writeFile(file, `${await readFile(file, "utf8")}half a li\n`);
    await readAll((await egress.send(question, never)).body);
    await sink.flush();
    const lines = (await readFile(file, "utf8")).split("\n");
    expect(lines.filter((line) => line.includes('"request"'))).toHaveLength(2);
    await writeFile(file, lines.filter((line) => line !== "half a li").join("\n"));
    await readAll(late.body);
    await sink.flush();
    expect(parseTranscript(await readFile(file, "utf8"), file).exchanges.map(({ n }) => n)).toEqual([0, 1, 2]);
    expect(await readdir(folder)).toEqual(["run1.jsonl"]);
  });

  describe("that cannot be written to", () => {
    const told: UnrecordedExchanges[] = [];
    const ask = async (sink: TranscriptFolder): Promise<void> => {
      const egress = recordEgress(upstream(["one"]), { sink, redact, clock });
      expect(await readAll((await egress.send(question, never)).body)).toBe("one");
    };
    beforeEach(() => void told.splice(0));

    it("is told of once and counted, and leaves the traffic alone: a file in its place", async () => {
      await writeFile(join(folder, "taken"), "");
      const sink = new TranscriptFolder(join(folder, "taken"), { onLost: (lost) => told.push(lost) });
      for (const _exchange of [1, 2, 3]) await ask(sink);
      await sink.flush();
      expect(told).toEqual([
        { lost: 1, reason: expect.stringMatching(/EEXIST|ENOTDIR/) },
        { lost: 3, reason: expect.any(String) },
      ]);
    });

    const underProc = process.platform === "linux" ? it : it.skip;
    underProc("is told of where no folder can be made, and does not wait for ever", async () => {
      const sink = new TranscriptFolder("/proc/postel/recordings", { onLost: (lost) => told.push(lost) });
      await ask(sink);
      await sink.flush();
      expect(told).toEqual([{ lost: 1, reason: expect.stringContaining("ENOENT") }]);
    });

    it("leaves no temporary file, and is tried again with the next exchange", async () => {
      const sink = new TranscriptFolder(folder, { onLost: (lost) => told.push(lost) });
      // A folder where the temporary file belongs: writing fails, as with a full disk, and root may not write there either.
      await mkdir(join(folder, "run1.jsonl.writing"));
      await ask(sink);
      await sink.flush();
      expect(told).toEqual([{ lost: 1, reason: expect.stringContaining("EISDIR") }]);
      await rm(join(folder, "run1.jsonl.writing"), { recursive: true, force: true });
      await ask(sink);
      await sink.flush();
      expect(await readdir(folder)).toEqual(["run1.jsonl"]);
    });

    it("begins anew where somebody took it away mid-way", async () => {
      const sink = new TranscriptFolder(join(folder, "gone"), { onLost: (lost) => told.push(lost) });
      await ask(sink);
      await sink.flush();
      await rm(join(folder, "gone"), { recursive: true });
      await ask(sink);
      await sink.flush();
      expect(told).toEqual([]);
      expect(await readdir(join(folder, "gone"))).toEqual(["run1.jsonl"]);
    });

    it("is told of where it is read-only", async () => {
      const root = process.getuid?.() === 0;
      const sink = new TranscriptFolder(folder, { onLost: (lost) => told.push(lost) });
      await chmod(folder, 0o500);
      // Nothing is read-only to root, who is somebody else for the while.
      if (root) process.seteuid?.("nobody");
      try {
        await ask(sink);
        await sink.flush();
      } finally {
        if (root) process.seteuid?.("root");
        await chmod(folder, 0o700);
      }
      expect(told).toEqual([{ lost: 1, reason: expect.stringContaining("EACCES") }]);
    });
  });
});
