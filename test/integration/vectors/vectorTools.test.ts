// Vector stores as tools: over HTTP, from a YAML file, before a server that has embeddings.

import { afterEach, describe, expect, it } from "@jest/globals";
import { findUnservedModels } from "../../../src/cli/validate/missingModels.ts";
import { UpstreamEmbedder } from "../../../src/models/clients/UpstreamEmbedder.ts";
import type { Route } from "../../../src/models/ModelDirectory.ts";
import { sendError } from "../../support/FakeUpstream.ts";
import type { SimulatedCall as Call } from "../../support/simulateModel.ts";
import { configOf, startVectors, type VectorHouse } from "../../support/vectors/vectorGateway.ts";

let testGateway: VectorHouse;
afterEach(() => testGateway.close());

const NOTES = `
agents: [{ id: hand, model: m, tools: [notes] }]
components:
  - id: notes
    type: vector-store
    description: Notes of the user.
    embeddings: { model: embedder }
`;

const insert = (args: object): Call => ({ name: "notes.insert", arguments: args });
const search = (args: object): Call => ({ name: "notes.search", arguments: args });
const remove = (args: object): Call => ({ name: "notes.delete", arguments: args });

interface Found {
  readonly results: readonly { readonly id: string; readonly text: string; readonly score: number }[];
}

async function found(key: string, args: object): Promise<Found["results"]> {
  const [result = ""] = await testGateway.call(key, search(args));
  return (JSON.parse(result) as Found).results;
}

const textsOf = (results: Found["results"]) => results.map(({ text }) => text);

describe("an agent with a vector store", () => {
  it("keeps texts and finds them by their meaning, not by their words", async () => {
    testGateway = await startVectors({ yaml: NOTES });
    const [said = ""] = await testGateway.call(
      "ada",
      insert({ texts: ["The feline sleeps.", "The automobile is red."] }),
    );
    expect(JSON.parse(said)).toEqual({ inserted: [expect.any(String), expect.any(String)] });
    expect(textsOf(await found("ada", { query: "a cat", top: 1 }))).toEqual(["The feline sleeps."]);
    expect(textsOf(await found("ada", { query: "cars" }))).toEqual(["The automobile is red.", "The feline sleeps."]);
    expect(testGateway.embedded.map(({ model, input }) => [model, input.length])).toEqual([
      ["embedder", 2],
      ["embedder", 1],
      ["embedder", 1],
    ]);
  });

  it("finds what is known of a text by filters, and names it as a source", async () => {
    testGateway = await startVectors({ yaml: NOTES });
    const metadata = { year: 2024, kind: "bill", tags: ["paid", "old"] };
    await testGateway.call(
      "ada",
      insert({ text: "An invoice of the year.", id: "i1", title: "Invoice 1", url: "https://x.example/1", metadata }),
      insert({ text: "Another invoice.", id: "i2", metadata: { year: 2026, kind: "bill" } }),
    );
    for (const [filter, ids] of [
      [{ kind: "bill" }, ["i2", "i1"]],
      [{ year: { gt: 2024 } }, ["i2"]],
      [{ year: [2024, 2025], tags: "old" }, ["i1"]],
      [{ year: "2024" }, []],
    ] as const)
      expect((await found("ada", { query: "another bill", filter })).map(({ id }) => id)).toEqual(ids);
    const { body } = await testGateway.send("ada", "/chat", {
      session_id: "s",
      agent: "hand",
      mode: "agent",
      question: "Go.",
    });
    expect(body).toMatchObject({ sources: [{ tool: "notes.search", id: "i2" }].slice(1) });
    await testGateway.call("ada", search({ query: "bill", filter: { year: 2024 } }));
    const chat = await testGateway.send("ada", "/chat", {
      session_id: "t",
      agent: "hand",
      mode: "agent",
      question: "Go.",
    });
    expect(chat.body).toMatchObject({
      sources: [{ tool: "notes.search", id: "i1", title: "Invoice 1", url: "https://x.example/1" }],
    });
  });

  it("replaces a text by its id and deletes by id, by filter and all", async () => {
    testGateway = await startVectors({ yaml: NOTES });
    await testGateway.call(
      "ada",
      insert({ text: "Tea is hot.", id: "tea" }),
      insert({ text: "Cars.", metadata: { k: 1 } }),
    );
    await testGateway.call("ada", insert({ text: "Tea is cold.", id: "tea" }));
    expect(textsOf(await found("ada", { query: "tea" }))).toEqual(["Tea is cold.", "Cars."]);
    expect(await testGateway.call("ada", remove({ filter: { k: 1 } }))).toEqual(['{"deleted":1}']);
    expect(await testGateway.call("ada", remove({ id: "tea" }), remove({ id: "gone" }))).toEqual([
      '{"deleted":1}',
      '{"deleted":0}',
    ]);
    await testGateway.call("ada", insert({ texts: ["One.", "Two."] }));
    expect(await testGateway.call("ada", remove({ all: true }))).toEqual(['{"deleted":2}']);
    expect(await found("ada", { query: "one" })).toEqual([]);
  });

  it("reads what it said wrongly, and nothing happens", async () => {
    testGateway = await startVectors({ yaml: NOTES });
    const wrong: readonly (readonly [Call, RegExp])[] = [
      [insert({}), /one of `text`/],
      [insert({ text: "a", texts: ["b"] }), /one of `text`/],
      [insert({ text: " " }), /blank/],
      [insert({ text: "x".repeat(32_001) }), /at most 32000 characters/],
      [insert({ texts: Array.from({ length: 65 }, (_, n) => `t${n}`) }), /at most 64 texts/],
      [insert({ texts: ["a", "b"], id: "i" }), /names one text/],
      [insert({ text: "a", url: "javascript:alert(1)" }), /https:\/\//],
      [insert({ text: "a", metadata: { k: { deep: 1 } } }), /Values of `k`/],
      [insert({ text: "a", metadata: { "a b": 1 } }), /letters, digits/],
      [search({ query: "a", filter: { k: { near: 1 } } }), /gt, gte, lt and lte/],
      [search({ query: "a", filter: { k: [] } }), /1 to 32 values/],
      [search({ query: "x".repeat(8_001) }), /at most 8000/],
      [remove({}), /one of `id`/],
      [remove({ filter: {} }), /one of `id`/],
      [remove({ id: "a", all: true }), /one of `id`/],
    ];
    for (const [call, said] of wrong)
      expect([await testGateway.call("ada", call)].flat()).toEqual([expect.stringMatching(said)]);
    expect(testGateway.embedded).toEqual([]);
  });

  it("has a collection that each owner fills and asks alone", async () => {
    testGateway = await startVectors({ yaml: NOTES });
    await testGateway.call("ada", insert({ text: "Ada's cat is called Misha.", id: "same", metadata: { who: "ada" } }));
    await testGateway.call("bob", insert({ text: "Bob's cat is called Rex.", id: "same" }));
    expect(textsOf(await found("ada", { query: "cat" }))).toEqual(["Ada's cat is called Misha."]);
    expect(textsOf(await found("bob", { query: "cat" }))).toEqual(["Bob's cat is called Rex."]);
    expect(await found("bob", { query: "cat", filter: { who: "ada" } })).toEqual([]);
    await testGateway.call("bob", remove({ all: true }));
    expect(textsOf(await found("ada", { query: "cat" }))).toEqual(["Ada's cat is called Misha."]);
  });

  it.each([
    ["x'; DROP TABLE runs;--", "SQ-001"],
    ["%%%%%%%%%%%%%%%%%%%%%%%%", "SQ-002"],
    ["a') OR 1=1 --", "SQ-003"],
    ["x\\", "SQ-006"],
  ])("keeps %j as a text, an id and a value, and refuses it as a name (%s)", async (text) => {
    testGateway = await startVectors({ yaml: NOTES });
    await testGateway.call("bob", insert({ text: "secret", metadata: { owner: "bob" } }));
    await testGateway.call("ada", insert({ text, id: text, title: text, metadata: { k: text } }));
    const [one, ...others] = await found("ada", { query: text, filter: { k: text } });
    expect([one, others]).toMatchObject([{ id: text, text, title: text, metadata: { k: text } }, []]);
    expect(await testGateway.call("ada", search({ query: "a", filter: { [text]: "x" } }))).toEqual([
      expect.stringMatching(/letters, digits/),
    ]);
    expect(await testGateway.call("ada", remove({ filter: { [text]: "x" } }))).toEqual([
      expect.stringMatching(/letters, digits/),
    ]);
    expect(await testGateway.call("ada", remove({ id: text }))).toEqual(['{"deleted":1}']);
    expect(textsOf(await found("bob", { query: "secret" }))).toEqual(["secret"]);
  });

  it("cuts long texts into parts where the file says so, and replaces and deletes them together", async () => {
    testGateway = await startVectors({ yaml: `${NOTES}    chunk: 200\n` });
    const long = `${"Words of no meaning. ".repeat(30)}\n\nThe cat sleeps on the roof.\n\n${"More words. ".repeat(30)}`;
    await testGateway.call("ada", insert({ text: long, id: "long" }));
    const [best] = await found("ada", { query: "kittens on a roof", top: 1 });
    expect(best).toMatchObject({ id: "long", text: expect.stringContaining("The cat sleeps") });
    expect(best?.text.length).toBeLessThanOrEqual(200);
    await testGateway.call("ada", insert({ text: "Short.", id: "long" }));
    expect(textsOf(await found("ada", { query: "cat" }))).toEqual(["Short."]);
    expect(await testGateway.call("ada", remove({ id: "long" }))).toEqual(['{"deleted":1}']);
  });

  it("may have some of its actions, under names, descriptions and parameters of their own", async () => {
    testGateway = await startVectors({
      yaml: `
agents: [{ id: hand, model: m, tools: [look, { component: notes, action: insert, name: note }] }]
components:
  - { id: notes, type: vector-store, embeddings: { model: embedder } }
  - id: look
    type: vector-store
    collection: notes
    embeddings: { model: embedder }
    actions: [{ id: search, description: Looks into the notes., params: { query: { maxLength: 20 } } }]
`,
    });
    await testGateway.call("ada", { name: "note", arguments: { text: "A cat." } });
    const [result = ""] = await testGateway.call("ada", { name: "look", arguments: { query: "feline" } });
    expect(JSON.parse(result)).toMatchObject({ results: [{ text: "A cat." }] });
    const offered = testGateway.asked.findLast(({ path }) => path.endsWith("/chat/completions"))?.body.tools;
    expect(offered).toMatchObject([
      {
        function: {
          name: "look",
          description: "Looks into the notes.",
          parameters: { properties: { query: { type: "string", maxLength: 20 } } },
        },
      },
      { function: { name: "note" } },
    ]);
  });
});

describe("a collection that lasts", () => {
  const LASTING = `store: { file: FILE }\n${NOTES}`;

  it("is there after a restart", async () => {
    testGateway = await startVectors({ yaml: LASTING });
    await testGateway.call("ada", insert({ text: "A cat." }));
    await testGateway.restart();
    expect(textsOf(await found("ada", { query: "kitten" }))).toEqual(["A cat."]);
  });

  it("tells another model, or another length, what it was made by and what to do", async () => {
    testGateway = await startVectors({ yaml: LASTING, dimensions: { other: 32 } });
    await testGateway.call("ada", insert({ text: "A cat." }));
    await testGateway.restart((yaml) => yaml.replace("model: embedder", "model: other"));
    const mismatch = /^Error: .*`embedder` with 64 numbers.*`other` with 32 numbers.*another `collection`/;
    expect(await testGateway.call("ada", search({ query: "cat" }))).toEqual([expect.stringMatching(mismatch)]);
    expect(await testGateway.call("ada", insert({ text: "Tea." }))).toEqual([expect.stringMatching(mismatch)]);
    await testGateway.call("ada", remove({ all: true }));
    await testGateway.call("ada", insert({ text: "Tea." }));
    expect(textsOf(await found("ada", { query: "infusion" }))).toEqual(["Tea."]);
  });

  it("holds as much as the file says", async () => {
    testGateway = await startVectors({ yaml: `${LASTING}    most: 2\n` });
    const results = await testGateway.call("ada", insert({ texts: ["a", "b"] }), insert({ text: "c" }));
    expect(results[1]).toMatch(/^Error: .*may hold 2 texts.*`most`/);
  });
});

describe("texts of strangers", () => {
  const PAGE = (more: string) => `
agents: [{ id: hand, model: m, tools: [page, notes] }]
components:
  - { id: page, type: http-client, base_url: "URL", method: GET, path: /models }
  - { id: notes, type: vector-store, embeddings: { model: embedder }${more} }
workflows:
  - id: gather
    steps:
      - { id: page, component: page, input: {} }
      - { id: keep, component: notes, action: insert, input: { text: "A cat: \${steps.page}" } }
`;
  const run = async () =>
    (await testGateway.send("ada", "/api/workflows/gather", {})) as { status: number; body: object };

  it("are not kept, and take nothing that is", async () => {
    testGateway = await startVectors({ yaml: PAGE("") });
    expect(JSON.stringify((await run()).body)).toMatch(/Nothing can be inserted/);
    expect(await found("ada", { query: "cat" })).toEqual([]);
  });

  it("are kept where the operator says that anybody's may be, and count as a stranger's when they are found", async () => {
    testGateway = await startVectors({ yaml: PAGE(", untrusted: true") });
    expect((await run()).status).toBe(200);
    expect(textsOf(await found("ada", { query: "kitten" }))).toEqual([expect.stringMatching(/^A cat: /)]);
  });
});

describe("embeddings that cannot be had", () => {
  it.each<readonly [string, object | string, RegExp]>([
    ["fewer vectors than texts", { data: [] }, /gave 0 vectors for 1 texts/],
    ["zeros", { data: [{ index: 0, embedding: [0, 0] }] }, /other than zero/],
    ["texts for numbers", { data: [{ index: 0, embedding: ["1"] }] }, /not 1 to/],
    ["no JSON", "oops", /no JSON object/],
    ["an error with 200", { error: { message: "no such endpoint" } }, /no such endpoint/],
  ])("are an error that the model reads: %s", async (_what, answer, said) => {
    testGateway = await startVectors({
      yaml: NOTES,
      embeddings: (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
        return true;
      },
    });
    expect(await testGateway.call("ada", insert({ text: "A cat." }))).toEqual([expect.stringMatching(said)]);
    expect(await testGateway.call("ada", search({ query: "cat" }))).toEqual([expect.stringMatching(said)]);
  });

  it("are asked again by the gateway's one policy, and refused in the upstream's words", async () => {
    testGateway = await startVectors({
      yaml: NOTES.replace("agents:", "# x\nagents:"),
      embeddings: (response, count) => {
        if (count === 1) sendError(response, 400, "input too long for embedder");
        return count === 1;
      },
    });
    expect(await testGateway.call("ada", insert({ text: "A cat." }))).toEqual([
      expect.stringMatching(/input too long for embedder/),
    ]);
    expect(await testGateway.call("ada", insert({ text: "A cat." }))).toEqual([expect.stringContaining("inserted")]);
  });

  it("because the model is nobody's, or answers conversations only, are told with its name", async () => {
    testGateway = await startVectors({ yaml: NOTES });
    const request = { model: "e", texts: ["a"], purpose: { kind: "tool", run: "r" } } as const;
    const route = { model: "e", upstream: "u" } as Route;
    for (const [routes, code] of [
      [[], "model_not_found"],
      [[route], "unsupported_parameter"],
    ] as const) {
      const embedding = new UpstreamEmbedder({ resolve: () => routes }).embed(request, new AbortController().signal);
      await expect(embedding).rejects.toMatchObject({ failure: { code, message: expect.stringContaining("`e`") } });
    }
  });
});

describe("a vector store in the file", () => {
  it.each([
    ["{ id: notes, type: vector-store }", /components\.0\.embeddings: is missing; expected `model:`/],
    [
      "{ id: notes, type: vector-store, embeddings: { model: e }, actions: [{ id: find }] }",
      /expected one of insert, search, delete/,
    ],
    [
      "{ id: notes, type: vector-store, embeddings: { model: e }, actions: [{ id: search, params: { text: {} } }] }",
      /expected a parameter of search: query, top, filter/,
    ],
    ["{ id: notes, type: vector-store, embeddings: { model: e }, most: 0 }", /1 to 100000/],
    [
      "{ id: notes, type: vector-store, embeddings: { model: e }, actions: [{ id: search }, { id: search }] }",
      /expected an id that is not taken/,
    ],
  ])("that is wrong is refused with what to write: %s", async (component, said) => {
    testGateway = await startVectors({ yaml: NOTES });
    expect(() =>
      configOf(
        testGateway.folder,
        `upstreams: [{ id: u, base_url: "URL" }]\ncomponents: [${component}]`,
        "http://127.0.0.1:9/v1",
      ),
    ).toThrow(said);
  });

  it("whose model nobody serves is a warning", async () => {
    testGateway = await startVectors({ yaml: NOTES });
    expect(findUnservedModels(testGateway.config, { resolve: () => [] })).toContain(
      "embeddings of the component notes: no upstream and no component serves `embedder`",
    );
  });

  it("that memory names must be there", async () => {
    testGateway = await startVectors({ yaml: NOTES });
    const yaml = (id: string) => `upstreams: [{ id: u, base_url: "URL" }]\nmemory: { vector_store: ${id} }\n${NOTES}`;
    expect(() => configOf(testGateway.folder, yaml("nots"), "http://127.0.0.1:9/v1")).toThrow(
      /memory\.vector_store: expected the id of a component of `type: vector-store`; there are notes/,
    );
    expect(configOf(testGateway.folder, yaml("notes"), "http://127.0.0.1:9/v1").memory).toEqual({
      vectorStore: "notes",
    });
  });
});
