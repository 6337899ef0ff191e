// Lasting facts that are found by their meaning: over HTTP, from a YAML file, for each owner alone, and by words while vectors cannot be had.

import { afterEach, describe, expect, it } from "@jest/globals";
import type { Observation } from "../../../src/core/ports.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { ManualClock } from "../../support/agents/ManualClock.ts";
import { STORE } from "../../support/defaults.ts";
import { sendError } from "../../support/FakeUpstream.ts";
import type { SimulatedCall as Call } from "../../support/simulateModel.ts";
import { startVectors, type VectorHouse } from "../../support/vectors/vectorGateway.ts";

let testGateway: VectorHouse;
afterEach(() => testGateway.close());

const BY_WORDS = `
store: { file: FILE }
agents:
  - { id: hand, model: m, memory: tool }
  - { id: auto, model: m, memory: auto }
components:
  - { id: notes, type: vector-store, embeddings: { model: embedder } }
`;
const BY_MEANING = `memory: { vector_store: notes }\n${BY_WORDS}`;

const save = (fact: string): Call => ({ name: "save_memory", arguments: { fact } });

async function recalled(key: string, query: string): Promise<readonly string[]> {
  const [result = ""] = await testGateway.call(key, { name: "recall_memory", arguments: { query } });
  return (JSON.parse(result) as { readonly facts: readonly string[] }).facts;
}

/** What the agent that recalls by itself was told of its user. */
async function told(key: string, question: string): Promise<string> {
  const body = { model: "auto", mode: "normal", messages: [{ role: "user", content: question }] };
  await testGateway.send(key, "/v1/agent", body);
  const chats = testGateway.asked.filter(({ path }) => path.endsWith("/chat/completions"));
  const { messages = [] } =
    chats.find(({ body: { messages: said } }) => said.some(({ content }) => content === question))?.body ?? {};
  return messages
    .filter(({ role }) => role === "system")
    .map(({ content }) => String(content))
    .join();
}

describe("a lasting fact", () => {
  it("is found by its meaning, by the tool and by itself, and not by another owner", async () => {
    testGateway = await startVectors({ yaml: BY_MEANING });
    await testGateway.call("ada", save("The user has a feline called Misha."), save("The user drives an automobile."));
    await testGateway.call("bob", save("Bob's cat is called Rex."));
    expect((await recalled("ada", "which cats"))[0]).toBe("The user has a feline called Misha.");
    expect((await recalled("ada", "cars"))[0]).toBe("The user drives an automobile.");
    expect(await recalled("bob", "Misha feline automobile")).toEqual(["Bob's cat is called Rex."]);
    expect(await told("ada", "Tell me about kittens.")).toContain("feline called Misha");
    expect(await told("bob", "Tell me of cats.")).not.toContain("Misha");
  });

  it("that was saved before there were vectors is given one when it is first looked for, and once", async () => {
    testGateway = await startVectors({ yaml: BY_WORDS });
    await testGateway.call("ada", save("The user has a feline."), save("The user drinks tea."));
    expect(await recalled("ada", "cats")).toEqual([]);
    expect(testGateway.embedded).toEqual([]);
    await testGateway.restart(() => BY_MEANING);
    expect(await recalled("ada", "cats")).toEqual(["The user has a feline.", "The user drinks tea."]);
    expect(testGateway.embedded.map(({ input }) => input.length)).toEqual([1, 2]);
    await recalled("ada", "an infusion");
    expect(testGateway.embedded.map(({ input }) => input.length)).toEqual([1, 2, 1]);
    await testGateway.restart((yaml) => yaml.replace("model: embedder", "model: another"));
    expect((await recalled("ada", "cats"))[0]).toBe("The user has a feline.");
    expect(testGateway.embedded.slice(3).map(({ model, input }) => [model, input.length])).toEqual([
      ["another", 1],
      ["another", 2],
    ]);
  });

  it("is found by its words while vectors cannot be had, which the log says once", async () => {
    const seen: Observation[] = [];
    let isDown = true;
    testGateway = await startVectors({
      yaml: BY_MEANING,
      observer: { observe: (one) => void seen.push(one) },
      embeddings: (response) => {
        if (isDown) sendError(response, 400, "not today");
        return isDown;
      },
    });
    const failures = () => seen.filter(({ type }) => type === "failure");
    await testGateway.call("ada", save("The user has a feline."));
    expect(await recalled("ada", "cats")).toEqual([]);
    expect(await recalled("ada", "feline")).toEqual(["The user has a feline."]);
    expect(await told("ada", "The feline?")).toContain("The user has a feline.");
    expect(failures()).toMatchObject([
      { failure: { code: "upstream_refused", message: expect.stringMatching(/found by their words.*not today/) } },
    ]);
    isDown = false;
    expect(await recalled("ada", "cats")).toEqual(["The user has a feline."]);
    isDown = true;
    expect(await recalled("ada", "cats")).toEqual([]);
    expect(failures()).toHaveLength(2);
  });

  it("goes with its vector: deleted, or erased with its owner", async () => {
    testGateway = await startVectors({ yaml: BY_MEANING });
    await testGateway.call("ada", save("The user has a feline."), save("The user drinks tea."));
    await recalled("ada", "cat");
    const { body } = await testGateway.send("ada", "/v1/agent/memories");
    const [{ id = "" } = {}] = (
      body as { readonly data: readonly { readonly id: string; readonly text: string }[] }
    ).data.filter(({ text }) => text.includes("feline"));
    await fetch(`${testGateway.gateway.url}/v1/agent/memories/${id}`, {
      method: "DELETE",
      headers: { authorization: "Bearer key-of-ada" },
    });
    expect(await recalled("ada", "cat")).toEqual(["The user drinks tea."]);
    const store = await SqliteStore.open({ ...STORE, clock: new ManualClock(), file: `${testGateway.folder}/kept.db` });
    expect(await store.owners.erase("ada")).toMatchObject({ memories: 1, memory_vectors: 1 });
    await store.close();
    expect(await recalled("ada", "cat")).toEqual([]);
  });
});
