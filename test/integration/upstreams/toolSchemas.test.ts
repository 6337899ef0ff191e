// Servers that refuse a tool for its schema: they are shown another, and its calls are held to the caller's own.

import { afterEach, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import type { JsonObject } from "../../../src/core/messages.ts";
import { FakeUpstream, sendError } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";
import { schemaFault } from "../../support/strictSchemas.ts";

const SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    kind: { const: "file" },
    place: { $ref: "#/$defs/Place" },
    level: { type: ["integer", "null"], enum: [1, 2, null] },
    list: { type: "array" },
  },
  required: ["kind"],
  oneOf: [{ required: ["place"] }, { required: ["level"] }],
  additionalProperties: false,
  $defs: { Place: { oneOf: [{ type: "string" }, { type: "object", properties: { at: { type: "string" } } }] } },
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Setting {
  readonly gateway: RunningGateway;
  readonly upstream: FakeUpstream;
  /** What the server said to each request of a caller; undefined: it answered. */
  readonly said: (string | undefined)[];
  /** Kept once the gateway remembers what it was refused. */
  readonly learnt: Promise<void>;
}

/** A server that judges schemas by a dialect and calls the tool with these arguments, one after the other. */
async function serve(dialect: string, args: readonly string[]): Promise<Setting> {
  const said: (string | undefined)[] = [];
  let call = 0;
  const upstream = await FakeUpstream.start(({ body }, response) => {
    const { tools = [], max_tokens: limit } = body as unknown as {
      tools?: { function: { parameters: JsonObject } }[];
      max_tokens?: number;
    };
    const fault = tools.map((tool) => schemaFault(tool.function.parameters, dialect)).find((one) => one !== undefined);
    if (limit !== 1) said.push(fault);
    if (fault !== undefined) return sendError(response, 400, fault);
    const called = { id: `c${call}`, type: "function", function: { name: "look", arguments: args[call] ?? "{}" } };
    if (limit !== 1) call += 1;
    response.writeHead(200, { "content-type": "application/json" });
    const message = { role: "assistant", content: null, tool_calls: [called] };
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
  });
  const { promise: learnt, resolve } = Promise.withResolvers<void>();
  const gateway = await startGateway({
    config: configFor(upstream.baseUrl),
    observer: {
      observe: ({ type }) => type === "evidence" && resolve(),
    },
  });
  open.push(upstream, gateway);
  return { gateway, upstream, said, learnt };
}

function ask(gateway: RunningGateway, model: string): Promise<OpenAI.ChatCompletion> {
  return gateway.client().chat.completions.create({
    model,
    messages: [{ role: "user", content: "Look" }],
    tools: [{ type: "function", function: { name: "look", parameters: SCHEMA } }],
  });
}

function argumentsOf({ choices }: OpenAI.ChatCompletion): readonly unknown[] {
  const calls = choices[0]?.message.tool_calls ?? [];
  return calls.map((call) => call.type === "function" && JSON.parse(call.function.arguments));
}

const GOOD = { kind: "file", level: 2 };
const SERVERS = [
  ["schema-object", "gpt-4o"],
  ["schema-object", "claude-sonnet-4-5"],
  ["schema-moonshot", "kimi-k2-instruct"],
  ["schema-nova", "amazon.nova-pro-v1"],
] as const;

describe.each(SERVERS)("a server of the dialect %s, with the model %s", (dialect, model) => {
  it("is never shown what it refuses, and postel.mended says that the tools are not as asked", async () => {
    const { gateway, said } = await serve(dialect, [JSON.stringify(GOOD)]);
    const answer = await ask(gateway, model);
    expect(argumentsOf(answer)).toEqual([GOOD]);
    expect(said).toEqual([undefined]);
    expect((answer as unknown as { postel: { mended: string[] } }).postel.mended).toContain("tools");
  });

  it("is asked again where its call fits what it was shown and not what the caller wrote", async () => {
    const { gateway, said } = await serve(dialect, ['{"kind": "folder", "level": 7}', JSON.stringify(GOOD)]);
    expect(argumentsOf(await ask(gateway, model))).toEqual([GOOD]);
    expect(said).toEqual([undefined, undefined]);
  });
});

describe.each(["schema-object", "schema-gemini", "schema-moonshot"])(
  "an unknown server of the dialect %s",
  (dialect) => {
    it("costs nobody a call: its refusal says which schemas it takes", async () => {
      const { gateway, said, learnt } = await serve(dialect, [JSON.stringify(GOOD), JSON.stringify(GOOD)]);
      expect(argumentsOf(await ask(gateway, "some-model"))).toEqual([GOOD]);
      expect(said).toEqual([expect.any(String), undefined]);
      await learnt;
      expect(argumentsOf(await ask(gateway, "some-model"))).toEqual([GOOD]);
      expect(said.slice(2)).toEqual([undefined]);
    });
  },
);
