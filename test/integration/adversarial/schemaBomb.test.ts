// Tool schemas that clients should not send, over HTTP, and what a hostile schema can do where calls are fitted to it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { JsonObject, ToolSpec } from "../../../src/core/messages.ts";
import { fitCall } from "../../../src/formats/validation/fitCall.ts";
import { idsOf, payload } from "../../support/adversarial/payloads.ts";
import { jsonArguments } from "../../support/candidateArguments.ts";
import { SERVER } from "../../support/defaults.ts";
import { FakeUpstream, whole } from "../../support/FakeUpstream.ts";
import { script, startApp, type TestApp, turnEnd, turnStart } from "../../support/testApp.ts";

let app: TestApp;
let canary: FakeUpstream;
beforeAll(async () => {
  canary = await FakeUpstream.start(whole(200, "application/json", "{}"));
});
afterEach(() => app.close());
afterAll(() => canary.close());

/** What a request whose tool has this schema gets, and what of it the agents saw. */
async function offer(
  schema: string,
  param: unknown = expect.stringMatching(/^tools/),
): Promise<{ readonly status: number; readonly message: string; readonly seen: number }> {
  app = await startApp(script(turnStart, { type: "text-delta", text: "Hello." }, turnEnd), {
    server: SERVER,
  });
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]}`,
  });
  const body = (await response.json()) as { error?: { message: string; param: string | null } };
  if (response.status !== 200) expect(body.error?.param).toEqual(param);
  return { status: response.status, message: body.error?.message ?? "", seen: app.requests.length };
}

/** The schema is refused with a message that says what is wrong with it, and no model hears of it. */
function refusedAs(message: RegExp): (schema: string) => Promise<void> {
  return async (schema) => {
    const got = await offer(schema);
    expect(got).toMatchObject({ status: 400, seen: 0, message: expect.stringMatching(message) });
  };
}

async function accepted(schema: string): Promise<void> {
  expect(await offer(schema)).toMatchObject({ status: 200, seen: 1 });
}

/** The payload as the schema of a parameter. */
function asParameter(schema: string): string {
  return `{"type":"object","properties":{"p":${schema}}}`;
}

function fit(schema: string, args: string): ReturnType<typeof fitCall> {
  const tool: ToolSpec = { name: "f", parameters: JSON.parse(schema) as JsonObject };
  return fitCall(
    { name: "f", arguments: jsonArguments(args), repairs: [] },
    { tools: [tool], family: "native", raw: args },
  );
}

const TESTS: Readonly<Record<string, readonly [says: string, run: (schema: string) => Promise<void>]>> = {
  "SC-001": [
    "a recursive schema is taken, and data is read 64 deep at most",
    async (schema) => {
      await accepted(schema);
      const nested = (depth: number) => `${'{"a":'.repeat(depth)}{}${"}".repeat(depth)}`;
      expect(fit(schema, nested(30)).type).toBe("issue");
      expect(fit(schema, nested(100_000)).type).toBe("issue");
      expect(fit('{"type":"object","properties":{"a":{"$ref":"#"}}}', nested(30)).type).toBe("call");
    },
  ],
  "SC-002": ["references that only lead to each other are refused", refusedAs(/refers back to itself/)],
  "SC-003": [
    "a reference to another host is refused and not fetched",
    async () => {
      const schema = payload("SC-003", Number(new URL(canary.baseUrl).port));
      await refusedAs(/outside the schema/)(schema);
      fit(schema, '{"a":1}');
      await fetch(`${canary.baseUrl}/own`);
      expect(canary.requests.map((request) => request.path)).toEqual(["/v1/own"]);
    },
  ],
  "SC-004": [
    "a pattern is run without trying again",
    async (schema) => {
      await accepted(asParameter(schema));
      const started = performance.now();
      expect(fit(asParameter(schema), `{"p":"${"a".repeat(40)}"}`).type).toBe("call");
      expect(fit(asParameter(schema), `{"p":"${"a".repeat(40)}!"}`).type).toBe("issue");
      const long = fit(asParameter(schema), `{"p":"${"a".repeat(200_000)}!"}`);
      expect(long).toMatchObject({ type: "call", repairs: ["schema-unchecked"] });
      expect(performance.now() - started).toBeLessThan(20_000);
    },
  ],
  "SC-006": [
    "a schema of more than 256 KB is refused",
    async (schema) => {
      await refusedAs(/longer than 262144 characters/)(asParameter(schema));
    },
  ],
  "SC-007": [
    "50,000 properties are too many keys for a request, be they one that is written again and again",
    async (schema) => {
      const got = await offer(`{"type":"object",${schema.slice(1)}`, null);
      expect(got).toMatchObject({ status: 400, seen: 0, message: expect.stringMatching(/limits\.json_keys/) });
    },
  ],
  "SC-009": ["a malformed schema is refused with the place of its fault", refusedAs(/"type" must be "object"/)],
  "SC-010": [
    "defaults and constants are data, whatever their keys",
    async (schema) => {
      await accepted(asParameter(schema));
      expect(fit(asParameter(schema), "{}")).toMatchObject({ type: "call", arguments: "{}" });
      expect(({} as { x?: unknown }).x).toBeUndefined();
    },
  ],
  "SC-011": [
    "extreme bounds cost nothing",
    async (schema) => {
      await accepted(asParameter(schema));
      const started = performance.now();
      fit(asParameter(schema), '{"p":1e300}');
      fit(asParameter(schema), '{"p":"1e300"}');
      expect(performance.now() - started).toBeLessThan(20_000);
    },
  ],
  "SC-012": ["references that are resolved while data is read are refused", refusedAs(/\$dynamicRef is not supported/)],
};

describe("tool schemas that clients should not send", () => {
  it("have an expectation each", async () => {
    app = await startApp(script());
    expect(Object.keys(TESTS).sort()).toEqual([...idsOf("schema_bomb")].sort());
  });

  it.each(Object.entries(TESTS).map(([id, [says, run]]) => [id, says, run] as const))("%s: %s", (id, _says, run) =>
    run(payload(id)),
  );

  it("are refused with a pointer deep inside, too (SC-009)", async () => {
    await refusedAs(/#\/properties\/p\/(?:type|properties)/)(asParameter(payload("SC-009")));
  });
});

describe("a request's own keys", () => {
  it("stay data, and change nobody's defaults (PK-010)", async () => {
    app = await startApp(script(turnStart, { type: "text-delta", text: "Hello." }, turnEnd));
    const request = payload("PK-010").replace("{", '{"model":"m",');
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: request,
    });
    expect(response.status).toBe(200);
    expect(({} as { tenant?: unknown }).tenant).toBeUndefined();
    const metadata = app.requests[0]?.passthrough.metadata;
    expect(JSON.stringify(metadata)).toBe('{"__proto__":{"tenant":"other"}}');
    expect((metadata as { tenant?: unknown }).tenant).toBeUndefined();
  });
});
