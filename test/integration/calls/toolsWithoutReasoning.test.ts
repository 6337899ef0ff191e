// Models that take tools only while they do not reason: the request is adapted at once, and so are the model's next ones.

import { afterEach, describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../src/core/messages.ts";
import type { ObservedCapability } from "../../../src/core/models/capabilities.ts";
import { FakeUpstream, sendError, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const REFUSED =
  "Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
const OLDER =
  "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.";
const AZURE = "tools cannot be used with reasoning_effort other than 'none' for this deployment.";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Setting {
  readonly gateway: RunningGateway;
  readonly upstream: FakeUpstream;
  /** What callers' requests were sent as; without the gateway's own probes. */
  sent(): readonly JsonObject[];
  learnt(): Promise<ObservedCapability>;
}

async function serve(refusalOf: (body: JsonObject) => string | undefined): Promise<Setting> {
  const upstream = await FakeUpstream.start(({ body }, response) => {
    const refusal = refusalOf(body as unknown as JsonObject);
    if (refusal !== undefined) sendError(response, 400, refusal);
    else sendText(response, "The train leaves at nine.");
  });
  const waiting: ((evidence: ObservedCapability) => void)[] = [];
  const known: ObservedCapability[] = [];
  const gateway = await startGateway({
    config: configFor(upstream.baseUrl),
    observer: {
      observe: (observation) => {
        if (observation.type !== "evidence") return;
        const next = waiting.shift();
        if (next) next(observation.evidence);
        else known.push(observation.evidence);
      },
    },
  });
  open.push(upstream, gateway);
  return {
    gateway,
    upstream,
    sent: () =>
      upstream.requests
        .map(({ body }) => body as unknown as JsonObject)
        .filter(({ messages }) => JSON.stringify(messages).includes("train")),
    learnt: () => {
      const already = known.shift();
      return already ? Promise.resolve(already) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

const tools = [{ type: "function", function: { name: "timetable", parameters: { type: "object", properties: {} } } }];

async function ask({ gateway }: Setting, body: JsonObject, { path = "/v1/chat/completions", headers = {} } = {}) {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model: "gpt-5.6-luna",
      messages: [{ role: "user", content: "When does the train leave?" }],
      tools,
      ...body,
    }),
  });
  const text = await response.text();
  const events = text.startsWith("{") ? [`data: ${text}`] : text.split("\n\n");
  const chunks = events
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice("data: ".length)));
  return {
    status: response.status,
    mended: chunks.findLast(({ postel }) => postel)?.postel.mended,
    mode: chunks.findLast(({ postel }) => postel)?.postel.tool_mode,
    error: chunks.find(({ error }) => error)?.error,
  };
}

const refusing = (message: string) => (body: JsonObject) =>
  body.tools && body.reasoning_effort !== "none" ? message : undefined;

describe.each([false, true])("a model that takes no tools while it reasons (stream: %s)", (stream) => {
  it.each([
    ["its own effort", {}, REFUSED],
    ["the caller's effort", { reasoning_effort: "high" }, REFUSED],
    ["the caller's effort, in older words", { reasoning_effort: "medium" }, OLDER],
    ["an effort of its deployment", { model: "my-deployment" }, AZURE],
    ["a router's spelling of the effort", { reasoning: { effort: "low" } }, REFUSED],
  ])("is asked for none in place of %s, and so is the next caller at once", async (_effort, body, message) => {
    const setting = await serve(refusing(message));
    const answer = await ask(setting, { stream, ...body });
    expect(answer).toMatchObject({ status: 200, mode: "native" });
    expect(answer.mended).toContain("reasoning_effort");
    expect(setting.sent().map(({ reasoning_effort }) => reasoning_effort)).toEqual([
      "reasoning_effort" in body ? body.reasoning_effort : undefined,
      "none",
    ]);
    expect(await setting.learnt()).toMatchObject({ refused: "reasoning_effort+tools" });
    expect((await ask(setting, { stream, ...body })).mended).toContain("reasoning_effort");
    expect(setting.sent()).toHaveLength(3);
  });

  it("keeps its effort where no tools go up", async () => {
    const setting = await serve(refusing(REFUSED));
    await ask(setting, { stream });
    await setting.learnt();
    const answer = await ask(setting, { stream, tools: undefined, reasoning_effort: "high" } as unknown as JsonObject);
    expect(answer).toMatchObject({ status: 200, mended: undefined });
    expect(setting.sent().at(-1)).toMatchObject({ reasoning_effort: "high" });
  });

  it("is adapted to in a run, for all of its turns", async () => {
    const setting = await serve(refusing(REFUSED));
    const answer = await ask(setting, { stream }, { path: "/v1/agent" });
    expect(answer).toMatchObject({ status: 200, mended: ["reasoning_effort"] });
  });

  it("is asked in text where it takes no `none` either", async () => {
    const setting = await serve(({ tools: sent, reasoning_effort }) => {
      if (reasoning_effort === "none")
        return "Unsupported value: 'reasoning_effort' does not support 'none' with this model.";
      return sent ? REFUSED : undefined;
    });
    expect(await ask(setting, { stream })).toMatchObject({ status: 200, mode: "text" });
    const pinned = await ask(setting, { stream }, { headers: { "x-postel-tool-mode": "native" } });
    expect(pinned).toMatchObject({ status: 400, error: { message: expect.stringContaining("Function tools with") } });
  });

  it("is remembered only where the gateway's own question was refused, not where an error quotes its caller", async () => {
    const setting = await serve(({ messages, reasoning_effort }) =>
      JSON.stringify(messages).includes("Quote") && reasoning_effort !== "none" ? REFUSED : undefined,
    );
    const messages = [{ role: "user", content: "Quote what trains say." }];
    expect((await ask(setting, { stream, messages })).mended).toEqual(["reasoning_effort"]);
    expect(await ask(setting, { stream })).toMatchObject({ status: 200, mended: undefined });
    expect(setting.sent().at(-1)).not.toHaveProperty("reasoning_effort");
  });
});
