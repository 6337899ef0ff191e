// How much a model reads in one call, by its row or its server's own word: asked once, and assumed where nobody says.
import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import { FakeUpstream, sendError } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** A server that gives these documents, by their paths, and 404 elsewhere. */
async function serve(documents: Readonly<Record<string, JsonObject>>, row: JsonObject = {}) {
  const upstream = await FakeUpstream.start(
    ({ path }, response) => {
      const document = documents[path.split("?")[0] ?? ""];
      if (!document) return sendError(response, 404, "File Not Found");
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(document));
    },
    { all: true },
  );
  const operatorModels = "contextTokens" in row ? [{ match: ["m"], why: "test", ...row }] : [];
  const gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels } });
  opened.push(upstream, gateway);
  return { upstream, gateway };
}

const listOf = (entry: JsonObject) => ({
  "/v1/models": { object: "list", data: [{ id: "m", object: "model", ...entry }] },
});

async function shown({ url }: RunningGateway, path = "/v1/models/m"): Promise<readonly unknown[]> {
  const document = (await (await fetch(`${url}${path}`)).json()) as JsonObject;
  const entry = (path.endsWith("/models") ? (document.data as readonly JsonObject[])[0] : document) ?? {};
  const { context_tokens, source } = entry.postel as { context_tokens: number; source: JsonObject };
  return [context_tokens, source.contextTokens];
}

describe("the context window of a model", () => {
  it.each([
    ["vLLM and SGLang", { max_model_len: 8_192 }],
    ["OpenRouter", { context_length: 8_192 }],
    ["Groq", { context_window: 8_192 }],
    ["Mistral", { max_context_length: 8_192 }],
    [
      "LM Studio, which loads a model with less than it could have",
      { max_context_length: 131_072, loaded_context_length: 8_192 },
    ],
  ])("is what the list says that comes from %s", async (_make, entry) => {
    const { gateway } = await serve(listOf(entry));
    expect(await shown(gateway, "/v1/models")).toEqual([8_192, "server"]);
    expect(await shown(gateway)).toEqual([8_192, "server"]);
  });

  it("is what llama.cpp was started with, and not what its list says of the training", async () => {
    const props = { default_generation_settings: { n_ctx: 4_096 }, total_slots: 1 };
    const { gateway, upstream } = await serve({ ...listOf({ meta: { n_ctx_train: 131_072 } }), "/props": props });
    expect(await shown(gateway)).toEqual([4_096, "server"]);
    expect(await shown(gateway)).toEqual([4_096, "server"]);
    expect(upstream.requests.filter(({ path }) => path.startsWith("/props"))).toHaveLength(1);
  });

  it("is what Ollama has loaded the model with", async () => {
    const running = { models: [{ name: "m:latest", model: "m:latest", context_length: 4_096 }] };
    const { gateway } = await serve({ ...listOf({}), "/api/ps": running });
    expect(await shown(gateway)).toEqual([4_096, "server"]);
  });

  it("is assumed, and said to be, where nobody says it or what is said can be none", async () => {
    const { gateway } = await serve(listOf({ max_model_len: "much", context_length: -1, context_window: 0.5 }));
    expect(await shown(gateway)).toEqual([100_000, "assumed"]);
  });

  it("is the operator's own, whatever the server says", async () => {
    const { gateway } = await serve(listOf({ max_model_len: 131_072 }), { contextTokens: 16_384 });
    expect(await shown(gateway)).toEqual([16_384, "operator"]);
  });
});
