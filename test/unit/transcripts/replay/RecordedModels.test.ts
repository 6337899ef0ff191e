import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { RECORDED_BASE_URL } from "../../../../src/core/config/configuration.ts";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { formatTranscript, type RecordedExchange } from "../../../../src/transcripts/format/Transcript.ts";
import { RecordedModels } from "../../../../src/transcripts/replay/RecordedModels.ts";
import { chat, HEADER, never, readAll, recorded } from "../../../support/transcripts/exchanges.ts";

const user = { role: "user", content: "When is low tide?" };
const called = { role: "assistant", content: null, tool_calls: [] };
const result = { role: "tool", tool_call_id: "c", content: "14:05" };
const answered = { role: "assistant", content: "At 14:05." };

let folder: string;
let runs = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "postel-recorded-"));
});

afterEach(() => rm(folder, { recursive: true }));

async function models(...exchanges: RecordedExchange[]): Promise<RecordedModels> {
  await writeFile(join(folder, "tide.jsonl"), formatTranscript({ header: HEADER, exchanges }));
  return new RecordedModels(folder);
}

async function ask(egress: RecordedModels, messages: JsonObject[], run = `new ${runs++}`): Promise<string> {
  const response = await egress.send(chat({ model: "tide", messages }, run), never);
  return `${response.status} ${await readAll(response.body)}`;
}

function refusing(n: number, turn: number): RecordedExchange {
  return recorded(n, { turn, response: { ms: 1, status: 429, headers: { "retry-after": "0" } } });
}

describe("RecordedModels", () => {
  it("lists every transcript of the folder as a model with its description", async () => {
    const egress = await models(recorded(0));
    const request = { ...chat({}), method: "GET", url: `${RECORDED_BASE_URL}/models` };
    const response = await egress.send(request, never);
    expect(JSON.parse(await readAll(response.body))).toEqual({
      object: "list",
      data: [{ id: "tide", object: "model", created: 1_794_648_600, owned_by: "recorded", description: "For a test." }],
    });
  });

  it("plays its script whatever it is asked, and says that it is a recording and what it was asked then", async () => {
    const egress = await models(recorded(0));
    const messages = [{ role: "user", content: "Something else" }];
    const response = await egress.send(chat({ model: "tide", messages }), never);
    expect(response.note).toBe('recording "tide": it was asked "When is low tide?"');
    expect(await readAll(response.body)).toBe("answer 0");
  });

  it("plays turn after turn within a run, and the last one again after that", async () => {
    const egress = await models(recorded(0, { turn: 0 }), recorded(1, { turn: 1 }));
    expect(await ask(egress, [user], "a")).toBe("200 answer 0");
    expect(await ask(egress, [user, called, result], "a")).toBe("200 answer 1");
    expect(await ask(egress, [user, called, result, called, result], "a")).toBe("200 answer 1");
    expect(await ask(egress, [user], "b")).toBe("200 answer 0");
  });

  it("finds the turn from the messages when each turn is a request of its own", async () => {
    const egress = await models(recorded(0, { turn: 0 }), recorded(1, { turn: 1 }));
    expect(await ask(egress, [user, called, result])).toBe("200 answer 1");
    expect(await ask(egress, [user, called, result, answered, user])).toBe("200 answer 0");
    expect(await ask(egress, [user, called, result, answered, user, called, result])).toBe("200 answer 1");
  });

  it.each(["Observation: 14:05", "<tool_response>\n14:05\n</tool_response>"])(
    "takes a result that is told as user text (%j) for no new question",
    async (content) => {
      const egress = await models(recorded(0, { turn: 0 }), recorded(1, { turn: 1 }));
      const call = { role: "assistant", content: "Action: lookup_tide" };
      expect(await ask(egress, [user, call, { role: "user", content }])).toBe("200 answer 1");
    },
  );

  it("plays the attempts of one turn in order: a refusal then the answer, a malformed call then the corrected one", async () => {
    const egress = await models(
      refusing(0, 0),
      recorded(1, { turn: 0 }),
      recorded(2, { turn: 0 }),
      recorded(3, { turn: 1 }),
    );
    expect(await ask(egress, [user], "a")).toBe("429 answer 0");
    expect(await ask(egress, [user], "a")).toBe("200 answer 1");
    const correction = { role: "user", content: "That call could not be read." };
    expect(await ask(egress, [user, answered, correction], "a")).toBe("200 answer 2");
    expect(await ask(egress, [user, called, result])).toBe("200 answer 3");
  });

  it("counts turns itself where a production recording does not say them, and skips its tools' exchanges", async () => {
    const { turn: _, ...refused } = refusing(0, 0);
    const tool = recorded(2, { method: "GET", url: "https://tides.test/lookup?port=Brest" });
    const egress = await models(refused, recorded(1), tool, recorded(3));
    expect(await ask(egress, [user])).toBe("429 answer 0");
    expect(await ask(egress, [user, called, result])).toBe("200 answer 3");
  });

  it("does not play the refusal of tools to a request that has none, so that a recorded change of mode can be played again", async () => {
    const asked = { model: "tide", messages: [user], tools: [{ type: "function", function: { name: "lookup_tide" } }] };
    const refusal = recorded(0, { body: asked, response: { ms: 5, status: 400, headers: {} } });
    const egress = await models(refusal, recorded(1), recorded(2));
    const first = await egress.send(chat(asked, "a"), never);
    expect(first.status).toBe(400);
    expect(await ask(egress, [user], "a")).toBe("200 answer 1");
    expect(await ask(egress, [user], "b")).toBe("200 answer 1");
    expect(await ask(egress, [user, called, result], "b")).toBe("200 answer 2");
  });

  it("forgets the oldest runs, not the newest", async () => {
    const egress = await models(recorded(0, { turn: 0 }), recorded(1, { turn: 0 }));
    for (let i = 0; i <= 1_000; i++) await ask(egress, [user], `run ${i}`);
    expect(await ask(egress, [user], "run 1000")).toBe("200 answer 1");
    expect(await ask(egress, [user], "run 0")).toBe("200 answer 0");
  });

  it("answers an unknown model and an unknown route with an OpenAI error", async () => {
    const egress = await models(recorded(0));
    const response = await egress.send(chat({ model: "nobody", messages: [] }), never);
    expect(response.status).toBe(404);
    expect(JSON.parse(await readAll(response.body))).toEqual({
      error: {
        message: 'There is no recorded model "nobody". There are: tide.',
        type: "invalid_request_error",
        param: "model",
        code: "model_not_found",
      },
    });
    const other = await egress.send({ ...chat({}), url: `${RECORDED_BASE_URL}/embeddings` }, never);
    expect(other.status).toBe(404);
  });

  it("refuses to start with a faulty file, a file without a model's exchange, or no folder", async () => {
    await expect(models()).rejects.toThrow(/tide\.jsonl has no exchange with a model/);
    await writeFile(join(folder, "bad.jsonl"), "{}\n");
    expect(() => new RecordedModels(folder)).toThrow(/bad\.jsonl:1/);
    expect(() => new RecordedModels(join(folder, "missing"))).toThrow(/cannot be read/);
  });
});
