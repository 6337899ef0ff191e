import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import express from "express";
import type { EventSink } from "../../../../src/core/events/EventSink.ts";
import type { TurnEvent } from "../../../../src/core/events/events.ts";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import type { AppServices } from "../../../../src/server/AppServices.ts";
import type { FrontApi } from "../../../../src/server/apis/FrontApi.ts";
import { createAuthenticator } from "../../../../src/server/http/authenticate.ts";
import { createErrorHandler } from "../../../../src/server/http/errorHandler.ts";
import { RequestContext } from "../../../../src/server/http/RequestContext.ts";
import { createChatRoute } from "../../../../src/server/routes/chatCompletions.ts";
import { FAST_PATHS, SERVER } from "../../../support/defaults.ts";
import { pushed } from "../../../support/events.ts";
import { turnEnd } from "../../../support/testApp.ts";

/** As far from chat completions as a wire can be: its events have names and its end is one of them. */
const PLAIN: FrontApi = {
  async accept(body, header, { id, caller }) {
    if (body === undefined) throw new PostelError(createFailure("invalid_request", "Say something."));
    const stream = header("accept") === "text/event-stream";
    const chat = {
      id,
      caller,
      model: "m",
      messages: [],
      tools: [],
      toolChoice: { type: "auto" },
      sampling: {},
      output: { type: "text" },
      stream,
      passthrough: {},
    } as const;
    const answer = {
      whole: ([{ text }]: readonly [{ readonly text: string }, ...unknown[]]) => ({ said: text }),
      stream: () => ({
        events: async (events: readonly { readonly type: string }[]) =>
          events.map(({ type }) => (type === "text-delta" ? "event: word\ndata: 1\n\n" : "")).join(""),
        end: async () => "event: over\ndata: {}\n\n",
        failed: async ({ code }: { readonly code: string }) => `event: broken\ndata: "${code}"\n\n`,
      }),
    };
    return { chat, answer };
  },
  unwritablePart: () => undefined,
  failureBody: ({ code }, partial) => ({ broken: code, ...(partial && { after: partial.content }) }),
};

const turnStart: TurnEvent = { type: "turn-start", model: "test-model", toolMode: "native", row: "test-*" };
const word: TurnEvent = { type: "text-delta", text: "hi" };
const broken: TurnEvent = { type: "turn-failed", failure: createFailure("upstream_error", "It broke.") };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Asks an app whose one route speaks that wire, and whose model says these events. */
async function ask(events: readonly TurnEvent[], init: RequestInit): Promise<{ status: number; text: string }> {
  const observer = { observe: () => {} };
  const services = {
    observer,
    redact: (text: string) => text,
    clock: { now: () => 0 },
    runner: {
      complete: (_request: unknown, _signal: unknown, take: EventSink<TurnEvent>) => pushed(events, take),
    },
  };
  const app = express();
  const clock = { monotonic: () => 0 };
  const testGateway = {
    ids: { requestId: () => "fresh-id" },
    clock,
    observer,
    clientStallMs: 1_000,
    silent: new Set<string>(),
    fastPaths: FAST_PATHS,
  };
  app.use((request, response, next) => {
    new RequestContext(request, response, request.path, testGateway).caller = createAuthenticator(SERVER)(
      request.headers,
    );
    next();
  }, express.json());
  app.post("/", createChatRoute(services as unknown as AppServices, PLAIN));
  app.use(createErrorHandler(services, PLAIN));
  const server = app.listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    method: "POST",
    ...init,
  });
  return { status: response.status, text: await response.text() };
}

const SAYS = { body: "{}", headers: { "content-type": "application/json" } };
const STREAMS = { body: "{}", headers: { ...SAYS.headers, accept: "text/event-stream" } };

describe("a route on another wire", () => {
  it("answers whole in that wire's form", async () => {
    expect(await ask([turnStart, word, turnEnd], SAYS)).toEqual({ status: 200, text: '{"said":"hi"}' });
  });

  it("streams with that wire's events and its end", async () => {
    const text = "event: word\ndata: 1\n\nevent: over\ndata: {}\n\n";
    expect(await ask([turnStart, word, turnEnd], STREAMS)).toEqual({ status: 200, text });
  });

  it("fails in that wire's form: before the answer, after a part of it, in the middle of a stream", async () => {
    expect(await ask([], {})).toEqual({ status: 400, text: '{"broken":"invalid_request"}' });
    const partial = { status: 502, text: '{"broken":"upstream_error","after":"hi"}' };
    expect(await ask([turnStart, word, broken], SAYS)).toEqual(partial);
    const text = 'event: word\ndata: 1\n\nevent: broken\ndata: "upstream_error"\n\n';
    expect(await ask([turnStart, word, broken], STREAMS)).toEqual({ status: 200, text });
  });
});
