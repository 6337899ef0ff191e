// Names, upstreams and lists, over real HTTP and a played recording.
import { afterAll, afterEach, describe, expect, it } from "@jest/globals";
import type { TimeoutsConfig, UpstreamConfig } from "../../../src/core/config/configuration.ts";
import { PostelError } from "../../../src/core/failures.ts";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { Egress, EgressRequest } from "../../../src/core/ports.ts";
import { ModelDirectory, type ModelDirectoryOptions } from "../../../src/models/ModelDirectory.ts";
import { systemClock } from "../../../src/network/system.ts";
import { createUndiciEgress } from "../../../src/network/undici/undiciEgress.ts";
import { FAST_PATHS, LIMITS, TIMEOUTS } from "../../support/defaults.ts";
import { delta, events, FakeUpstream, whole } from "../../support/FakeUpstream.ts";
import { drain, modelRequest, streamOf, textOfEvents } from "../../support/modelRequest.ts";

const network = createUndiciEgress({ connectMs: 2_000 });
const open: FakeUpstream[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((upstream) => upstream.close()));
});
afterAll(() => network.close());

const timeouts: TimeoutsConfig = {
  ...TIMEOUTS,
  connectMs: 2_000,
  headersMs: 2_000,
  firstEventMs: 2_000,
  idleMs: 2_000,
  toolMs: 2_000,
};
const signal = new AbortController().signal;

async function serving(...ids: readonly string[]): Promise<FakeUpstream> {
  const data = ids.map((id) => ({ id, object: "model", created: 7, owned_by: "acme" }));
  const upstream = await FakeUpstream.start(whole(200, "application/json", JSON.stringify({ object: "list", data })));
  open.push(upstream);
  return upstream;
}

function openai(id: string, baseUrl: string, models: readonly string[]): UpstreamConfig {
  return { type: "server", wire: "openai", id, baseUrl, headers: {}, models, parse: "on" };
}

/** Plays one recorded model, as a folder of transcripts does. */
function recordings(asked: EgressRequest[] = []): Egress {
  return {
    async send(request) {
      asked.push(request);
      const list: JsonObject = { data: [{ id: "Leaky-XML", description: "A call leaks as XML." }] };
      const body = request.method === "GET" ? JSON.stringify(list) : events(delta({ content: "played" }, "stop"));
      return {
        status: 200,
        headers: {},
        body: (async function* () {
          yield new TextEncoder().encode(body);
        })(),
      };
    },
  };
}

type Served = readonly { config: UpstreamConfig; egress?: Egress }[];

function optionsOf(upstreams: Served, aliases: ModelDirectoryOptions["aliases"] = []): ModelDirectoryOptions {
  const withEgress = upstreams.map(({ config, egress }) => ({ config, egress: egress ?? network.egress }));
  const queue = { permits: 1, maxWaiting: 0, waitMs: 1 };
  const services = {
    fastPaths: FAST_PATHS,
    timeouts,
    limits: LIMITS,
    clock: systemClock,
    redact: (text: string) => text,
    queue,
  };
  return { upstreams: withEgress, aliases, ...services };
}

function aliased(aliases: ModelDirectoryOptions["aliases"], ...upstreams: Served): Promise<ModelDirectory> {
  return ModelDirectory.open(optionsOf(upstreams, aliases), signal);
}

function directoryOf(...upstreams: Served): Promise<ModelDirectory> {
  return ModelDirectory.open(optionsOf(upstreams), signal);
}

const RECORDED: UpstreamConfig = { type: "recorded", id: "demo", transcripts: "/nowhere" };

describe("resolve", () => {
  it("takes the first upstream whose patterns cover the name, without regard to case", async () => {
    const directory = await directoryOf(
      { config: openai("a", "http://127.0.0.1:1/v1", ["gpt-*"]) },
      { config: openai("b", "http://127.0.0.1:1/v1", ["*qwen*", "GPT-4"]) },
    );
    expect(directory.resolve("GPT-4")).toMatchObject([
      { upstream: "a", key: "a/GPT-4", model: "GPT-4", mode: "native" },
      { upstream: "a", key: "a/GPT-4", model: "GPT-4", mode: "text" },
    ]);
    expect(directory.resolve("Qwen/Qwen3-8B")[0]?.upstream).toBe("b");
    expect(directory.resolve("llama")).toEqual([]);
  });

  it("gives a recorded upstream only the names it lists, so that others reach the upstreams behind it", async () => {
    const directory = await directoryOf(
      { config: RECORDED, egress: recordings() },
      { config: openai("real", "http://127.0.0.1:1/v1", ["*"]) },
    );
    expect(directory.resolve("leaky-xml")[0]?.upstream).toBe("demo");
    expect(directory.resolve("gpt-4o")[0]?.upstream).toBe("real");
  });

  it("forgets what it has said of a name when an upstream tells its names", async () => {
    const directory = new ModelDirectory(
      optionsOf([
        { config: RECORDED, egress: recordings() },
        { config: openai("real", "http://127.0.0.1:1/v1", ["leaky-*"]) },
      ]),
    );
    const asked = () => ["Leaky-XML", "other"].map((name) => directory.resolve(name)[0]?.upstream);
    expect([asked(), asked()]).toEqual([
      ["real", undefined],
      ["real", undefined],
    ]);
    await directory.list(signal);
    expect([asked(), asked()]).toEqual([
      ["demo", undefined],
      ["demo", undefined],
    ]);
  });

  it("plays a recorded model through the same client, at an address that nobody can dial", async () => {
    const asked: EgressRequest[] = [];
    const directory = await directoryOf({ config: RECORDED, egress: recordings(asked) });
    const [resolved] = directory.resolve("Leaky-XML");
    const stream = resolved && streamOf(resolved.client, modelRequest({ model: "Leaky-XML" }), signal);
    expect(textOfEvents(stream ? await drain(stream) : [])).toBe("played");
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET http://recorded.invalid/v1/models",
      "POST http://recorded.invalid/v1/chat/completions",
    ]);
  });
});

describe("list", () => {
  it("has each name once, from the upstream that would serve it, with what that says of it", async () => {
    const first = await serving("m-1", "m-2", "not-routed-here");
    const second = await serving("m-1", "x-9");
    const directory = await directoryOf(
      { config: RECORDED, egress: recordings() },
      { config: openai("first", first.baseUrl, ["m-*"]) },
      { config: openai("second", second.baseUrl, ["*"]) },
    );
    expect(await directory.list(signal)).toEqual([
      { id: "Leaky-XML", upstream: "demo", ownedBy: "demo", description: "A call leaks as XML." },
      { id: "m-1", upstream: "first", ownedBy: "acme", created: 7 },
      { id: "m-2", upstream: "first", ownedBy: "acme", created: 7 },
      { id: "x-9", upstream: "second", ownedBy: "acme", created: 7 },
    ]);
  });

  it("goes on without an upstream that is down, answers nonsense or refuses, and keeps the names that the configuration says", async () => {
    const good = await serving("m-1");
    const nonsense = await FakeUpstream.start(whole(200, "text/html", "<html>"));
    const refusing = await FakeUpstream.start(whole(401, "application/json", "{}"));
    open.push(nonsense, refusing);
    const directory = await directoryOf(
      { config: openai("down", "http://127.0.0.1:1/v1", ["down-1", "down-*"]) },
      { config: openai("nonsense", nonsense.baseUrl, ["n-*"]) },
      { config: openai("refusing", refusing.baseUrl, ["r-*"]) },
      { config: openai("good", good.baseUrl, ["*"]) },
    );
    const ids = (await directory.list(signal)).map(({ id, upstream }) => `${upstream}/${id}`);
    expect(ids).toEqual(["good/m-1", "down/down-1"]);
  });

  it("does not ask an upstream again within ten seconds", async () => {
    const upstream = await serving("m-1");
    const directory = await directoryOf({ config: openai("u", upstream.baseUrl, ["*"]) });
    await directory.list(signal);
    await directory.list(signal);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe("ModelDirectory: an alias", () => {
  const NOWHERE = "http://127.0.0.1:1/v1";

  it("is asked for by its model's name, at the upstream that serves that, even where its own name is served", async () => {
    const directory = await aliased(
      [{ pattern: "gpt-*", model: "qwen3" }],
      { config: openai("a", NOWHERE, ["gpt-*"]) },
      { config: openai("b", NOWHERE, ["qwen*"]) },
    );
    expect(directory.resolve("GPT-4o")[0]).toMatchObject({ upstream: "b", key: "b/qwen3", model: "qwen3" });
  });

  it("called default takes only what nobody serves, and its own name", async () => {
    const directory = await aliased([{ pattern: "default", model: "qwen3" }], {
      config: openai("a", NOWHERE, ["qwen*"]),
    });
    const models = ["qwen2", "gpt-4o", "default"].map((name) => directory.resolve(name)[0]?.model);
    expect(models).toEqual(["qwen2", "qwen3", "qwen3"]);
  });

  it("whose model nobody serves is served by nobody, its own name or not", async () => {
    const directory = await aliased([{ pattern: "gpt-4o", model: "gone" }], {
      config: openai("a", NOWHERE, ["gpt-*"]),
    });
    expect(directory.resolve("gpt-4o")).toEqual([]);
    expect(await directory.list(signal)).toEqual([]);
  });

  it("is listed with what is known of its model, where it is a name and no pattern", async () => {
    const upstream = await serving("qwen3", "claude-3");
    const directory = await aliased(
      ["claude-*", "gpt-4o"].map((pattern) => ({ pattern, model: "qwen3" })),
      { config: openai("a", upstream.baseUrl, ["*"]) },
    );
    const alias = { upstream: "a", model: "qwen3", ownedBy: "postel", created: 7 };
    expect(await directory.list(signal)).toEqual([
      { id: "qwen3", upstream: "a", ownedBy: "acme", created: 7 },
      { id: "claude-3", ...alias },
      { id: "gpt-4o", ...alias },
    ]);
  });
});

describe("open", () => {
  it("fails where a recorded upstream cannot list its models, since it would serve nothing", async () => {
    const broken: Egress = {
      send: async () => ({ status: 500, headers: {}, body: (async function* () {})() }),
    };
    await expect(directoryOf({ config: RECORDED, egress: broken })).rejects.toBeInstanceOf(PostelError);
  });
});
