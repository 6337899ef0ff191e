// An app over HTTP on a free port, its agents played by the test.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { AgentRunRequest } from "../../src/agents/AgentRunRequest.ts";
import type { RunEvent, TurnEnd, TurnEvent } from "../../src/core/events/events.ts";
import type { ModelCapabilities } from "../../src/core/models/capabilities.ts";
import type { Observation } from "../../src/core/ports.ts";
import type { ChatRequest } from "../../src/core/requests.ts";
import { WriteHealth } from "../../src/core/WriteHealth.ts";
import type { AppServices } from "../../src/server/AppServices.ts";
import type { ReceivingTimers } from "../../src/server/httpServer.ts";
import { createLazyStore } from "../../src/stores/lazyStore.ts";
import { FAST_PATHS, LIMITS, SERVER, TIMEOUTS } from "./defaults.ts";
import { pushed } from "./events.ts";
import { createHttpServer } from "./gatewayModules.ts";

export interface TestApp {
  readonly url: string;
  readonly requests: ChatRequest[];
  readonly runs: AgentRunRequest[];
  readonly observed: Observation[];
  /** The signal of the last turn or run. */
  readonly signals: AbortSignal[];
  close(): Promise<void>;
}

export type Script = (signal: AbortSignal) => AsyncIterable<RunEvent>;

/** Plays these events, whatever is asked. */
export function script(...events: readonly RunEvent[]): Script {
  return async function* () {
    yield* events;
  };
}

export const turnEnd: TurnEnd = {
  type: "turn-end",
  finishReason: "stop",
  upstreamFinishReason: "stop",
  usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 },
  usagePartial: false,
  attempts: 1,
  retries: 0,
};

export const turnStart: RunEvent = { type: "turn-start", model: "test-model", toolMode: "native", row: "test-*" };

const CAPABILITIES: ModelCapabilities = {
  row: "test-*",
  tools: "native",
  toolChoice: ["auto", "none", "required", "named"],
  jsonSchema: "native",
  systemRole: "system",
  formats: [],
  emulate: "hermes-json",
  reasoning: { opened: "never", interleaved: false },
  stream: "always",
  onInvalid: "error",
  parse: "on",
  fractions: "refuse",
  quirks: [],
  sampling: {},
  source: { tools: "shipped" },
};

export async function startApp(
  play: Script,
  overrides: Partial<AppServices> = {},
  timers?: ReceivingTimers,
): Promise<TestApp> {
  const requests: ChatRequest[] = [];
  const runs: AgentRunRequest[] = [];
  const signals: AbortSignal[] = [];
  const observed: Observation[] = [];
  const entries = [{ id: "org/test-model", upstream: "main", ownedBy: "main" }];
  const services: AppServices = {
    runner: {
      async complete(request, signal, take) {
        requests.push(request);
        signals.push(signal);
        await pushed(play(signal), (events) => take(events.filter(isTurn)));
      },
    },
    runs: {
      ...ELSEWHERE,
      async ask(request, { signal, onEvents }) {
        runs.push(request);
        signals.push(signal);
        await pushed(play(signal), onEvents);
      },
    },
    sessions: ELSEWHERE,
    store: createLazyStore(async () => {
      throw new Error("The store is tried in test/integration/sessions.");
    }),
    health: new WriteHealth({ monotonic: () => performance.now() }, true),
    directory: {
      resolve: (model) => [
        {
          upstream: "main",
          key: `main/${model}`,
          model,
          mode: "native",
          client: { stream: async () => {} },
          parse: "on",
        },
      ],
      list: async () => entries,
    },
    detector: {
      recall: () => undefined,
      detect: ({ pinned, model }) => ({
        ...CAPABILITIES,
        tools: pinned ?? (model === "text-model" ? "text" : "native"),
      }),
    },
    agents: [
      {
        id: "helper-agent",
        tools: [{ tool: "calculator" }],
        sampling: {},
        limits: { ...LIMITS.run, timeoutMs: 1000 },
        actions: [],
      },
    ],
    workflows: [],
    server: { ...SERVER, maxBodyBytes: 100_000, corsOrigins: ["http://good.test"] },
    limits: { ...LIMITS, maxTools: 4, maxMessages: 8, toolOutputChars: 1_000 },
    timeouts: TIMEOUTS,
    fastPaths: FAST_PATHS,
    ids: { callId: () => "abcdefghi", requestId: () => "fresh-id" },
    clock: {
      now: () => 1_700_000_000_000,
      monotonic: () => performance.now(),
      sleep: async () => {},
      after: () => () => {},
    },
    observer: { observe: (observation) => observed.push(observation) },
    redact: (text) => text,
    stopSignal: new AbortController().signal,
    ...overrides,
  };
  const server = createHttpServer(services, timers).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    runs,
    observed,
    signals,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** What is tried in test/integration/sessions, over the whole gateway. */
const ELSEWHERE = {
  ask: elsewhere,
  start: elsewhere,
  decide: elsewhere,
  interrupt: elsewhere,
  decideAll: elsewhere,
  resume: elsewhere,
  record: elsewhere,
  list: elsewhere,
  open: elsewhere,
  events: elsewhere,
  cancel: elsewhere,
  feedback: elsewhere,
  get: elsewhere,
  setMode: elsewhere,
  delete: elsewhere,
};

async function elsewhere(): Promise<never> {
  throw new Error("It is tried in test/integration/sessions.");
}

const OF_RUNS = [
  ...["run-start", "run-resumed", "run-end", "tool-start", "tool-result", "interrupt", "nested", "handoff"],
  ...["task-start", "task-end", "plan", "reflection", "extraction"],
];

function isTurn(event: RunEvent): event is TurnEvent {
  return !OF_RUNS.includes(event.type);
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** A request that nothing is wrong with. */
export const ASK = { model: "test-model", messages: [{ role: "user", content: "hi" }] };

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly partial?: { readonly content: string; readonly run_id?: string };
  };
}

export async function errorOf(response: Response): Promise<ErrorBody["error"]> {
  return ((await response.json()) as ErrorBody).error;
}

/** The data of every event of an SSE body, `[DONE]` included. */
export async function sseData(response: Response): Promise<string[]> {
  const text = await response.text();
  return text.split("\n\n").flatMap((event) => (event.startsWith("data: ") ? [event.slice(6)] : []));
}
