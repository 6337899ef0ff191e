// A component `mcp` as a source of tools: keeps its server running, lists its tools again after changes, and restarts it.
import type { Transport } from "@modelcontextprotocol/client";
import type { McpComponent } from "../../core/config/mcpComponent.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { waitBeforeRetry } from "../../core/http/retryPolicy.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Clock, Observer, ProgramEnd, Random } from "../../core/ports.ts";
import type { DefinitionStore } from "../../core/stores/DefinitionStore.ts";
import type { McpCallInterceptor } from "../../core/tools/mcpCalls.ts";
import { describeError } from "../execution/errorHint.ts";
import type { Tool } from "../Tool.ts";
import type { ToolSource } from "../ToolSource.ts";
import { callFailure } from "./callFailure.ts";
import { type ElicitingCall, ElicitingCalls } from "./ElicitingCalls.ts";
import { McpSession } from "./McpSession.ts";
import { McpToolFactory, type ServedToolServices } from "./McpToolFactory.ts";
import { recordCall } from "./recordCall.ts";
import type { Sdk } from "./sdk.ts";
import { startFailure } from "./startFailure.ts";

/** Before a server is tried again: full jitter under a bound that doubles, up to a minute. */
const RESTARTS = { attempts: Number.MAX_SAFE_INTEGER, minWaitMs: 500, maxWaitMs: 60_000 };
/** Milliseconds of run time after which the end of a server does not count as a failed start. */
const STEADY_MS = 60_000;
/** Milliseconds for the session's end message. */
const FAREWELL_MS = 1_000;
/** Maximum number of different messages about dropped data per connection. */
const MAX_REPORTED = 20;

/** A connection to a server, for one session. */
export interface McpConnector {
  readonly transport: Transport;
  /** Reason why the program ended, if it is known. */
  ended?(): Promise<ProgramEnd | undefined>;
  /** Ends the session at a server that stores sessions. */
  leave?(): Promise<void>;
}

export interface McpServices extends ServedToolServices {
  readonly sdk: Sdk;
  readonly connect: (component: McpComponent) => McpConnector;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly random: Random;
  readonly definitions: Pick<DefinitionStore, "agreeToFirst">;
  /** Milliseconds for which a call waits for the user. */
  readonly holdMs: number;
  /** Wraps each call; absent: none. */
  readonly interceptor?: McpCallInterceptor | undefined;
  readonly observer: Observer;
}

/** Starts the server on creation. */
export class McpSource implements ToolSource {
  readonly server: string;
  readonly #component: McpComponent;
  readonly #services: McpServices;
  readonly #tools: McpToolFactory;
  readonly #liveCalls: ElicitingCalls;
  readonly #closing = new AbortController();
  readonly #firstConnection = Promise.withResolvers<void>();
  readonly #living: Promise<void>;
  #up = Promise.withResolvers<void>();
  #offered: readonly Tool[] = [];
  #outage: string | undefined = "it has not answered yet.";
  #connector: McpConnector | undefined;
  #session: McpSession | undefined;
  #hasChanged = true;
  #isStale = false;
  #isReportedDown = false;
  #reportedTools = new Set<string>();
  #listing: Promise<readonly Tool[]> | undefined;

  constructor(component: McpComponent, services: McpServices) {
    this.server = component.id;
    this.#component = component;
    this.#services = services;
    const onDropped = (droppedItem: string): void => this.#reportDropped(droppedItem);
    this.#tools = new McpToolFactory(component, {
      ...services,
      onDropped,
      call: (call) => this.#liveCalls.run(call, (elicitingCall) => this.#checkAgreed(elicitingCall)),
    });
    this.#liveCalls = new ElicitingCalls({ ...services, server: this.server });
    this.#living = this.#live();
  }

  get hasChanged(): boolean {
    return this.#hasChanged || this.#listing !== undefined;
  }

  get outage(): string | undefined {
    return this.#outage;
  }

  /** Waits until the server has answered or failed once; never longer than its start timeout. */
  list(): Promise<readonly Tool[]> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  /** Ends the server, and every wait for it. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#liveCalls.close();
    if (this.#session && this.#connector?.leave)
      await within(this.#connector.leave(), FAREWELL_MS, this.#services.clock);
    await this.#connector?.transport.close();
    await this.#living;
  }

  async #list(): Promise<readonly Tool[]> {
    await this.#firstConnection.promise;
    this.#hasChanged = false;
    const session = this.#session;
    if (this.#isStale && session) {
      this.#isStale = false;
      // A server that can no longer list its tools is closed.
      await this.#useSession(session).catch(() => session.close());
    }
    return this.#outage === undefined ? this.#offered : [];
  }

  async #live(): Promise<void> {
    const { clock, random } = this.#services;
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      const began = clock.monotonic();
      const end = await this.#once();
      if (signal.aborted) break;
      this.#fall(end);
      failures = clock.monotonic() - began < STEADY_MS ? failures + 1 : 1;
      const waitMs = waitBeforeRetry(failures, { bounds: RESTARTS, draw: random() }) ?? RESTARTS.maxWaitMs;
      await clock.sleep(waitMs, signal).catch(() => {});
    }
    this.#firstConnection.resolve();
  }

  /** Runs one session from its handshake to its end; resolves with the reason of the end. */
  async #once(): Promise<ProgramEnd> {
    const { sdk, clock } = this.#services;
    const { startTimeoutMs } = this.#component;
    this.#reportedTools = new Set();
    let session: McpSession | undefined;
    let thrown: unknown;
    try {
      session = await McpSession.open(sdk, () => this.#dial(), {
        ...{ startTimeoutMs, clock },
        onChanged: () => this.#stale(),
        onDropped: (droppedItem) => this.#reportDropped(droppedItem),
      });
      await this.#useSession(session);
      await this.#agreeToFirst();
      this.#rise(session);
      await session.closed;
    } catch (error) {
      thrown = error;
    }
    if (session) this.#lose(session);
    await session?.close();
    const programEnd = await this.#connector?.ended?.();
    return startFailure(thrown, programEnd, { startTimeoutMs, sdk });
  }

  /** Throws during shutdown, when nothing would end a new connection. */
  #dial(): Transport {
    this.#closing.signal.throwIfAborted();
    this.#connector = this.#services.connect(this.#component);
    return this.#connector.transport;
  }

  async #useSession(session: McpSession): Promise<void> {
    const { limits } = this.#component;
    this.#offered = this.#tools.createTools(
      await session.listTools((listed) => this.#tools.isWanted(listed), limits.tools),
    );
  }

  /** If the acceptance cannot be stored, the approver is asked. */
  async #agreeToFirst(): Promise<void> {
    if (this.#component.definitions !== "first_listed") return;
    const definitions = this.#offered.flatMap(({ definition }) => definition ?? []);
    const { definitions: store } = this.#services;
    await store
      .agreeToFirst(this.server, definitions)
      .catch((error: unknown) => this.#reportDropped(describeError(error)));
  }

  #stale(): void {
    this.#isStale = true;
    this.#hasChanged = true;
  }

  #rise(session: McpSession): void {
    this.#session = session;
    this.#outage = undefined;
    this.#hasChanged = true;
    this.#isReportedDown = false;
    this.#observeState("up", `it offers ${this.#offered.length} tools`);
    this.#up.resolve();
    this.#firstConnection.resolve();
  }

  #fall({ reason, stderr }: ProgramEnd): void {
    this.#outage = reason;
    this.#hasChanged = true;
    if (!this.#isReportedDown)
      this.#observeState("down", stderr === "" ? reason : `${reason} On standard error: ${stderr}`);
    this.#isReportedDown = true;
    this.#firstConnection.resolve();
  }

  #lose(session: McpSession): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#up = Promise.withResolvers();
  }

  #reportDropped(droppedItem: string): void {
    if (this.#reportedTools.size >= MAX_REPORTED || this.#reportedTools.has(droppedItem)) return;
    this.#reportedTools.add(droppedItem);
    this.#observeState("ignored", droppedItem);
  }

  #observeState(state: "up" | "down" | "ignored", detail: string): void {
    this.#services.observer.observe({ type: "tool-server", server: this.server, state, detail });
  }

  /** A tool is never called by an outdated definition: if the server announced a change, its tools are listed first. */
  async #checkAgreed(call: ElicitingCall): Promise<JsonObject> {
    if (this.#isStale) await this.list();
    const change = this.#tools.describeChange(call.definition);
    if (change !== undefined) throw new Error(change);
    const { server } = this;
    const { interceptor } = this.#services;
    return interceptor ? recordCall(call, { server, interceptor }, () => this.#call(call)) : this.#call(call);
  }

  async #call(call: ElicitingCall): Promise<JsonObject> {
    const { timeoutMs } = this.#component;
    const { name, args, elicit } = call;
    const { signal } = call.context;
    for (let isFirst = true; ; isFirst = false) {
      const session = this.#session;
      if (!session) throw this.#unreachable();
      try {
        return await session.callTool(name, args, { signal, timeoutMs, elicit });
      } catch (thrown) {
        const { kind, error } = callFailure(thrown, { server: this.server, timeoutMs }, this.#services.sdk);
        if (kind === "unsent") await session.close();
        if (kind === "unsent" || kind === "closed") this.#lose(session);
        if (!isFirst || kind === "final" || (kind !== "unsent" && !call.idempotent)) throw error;
        if (!this.#session) await this.#backUp(signal);
      }
    }
  }

  #unreachable(): PostelError {
    const message = `The server \`${this.server}\` cannot be reached: ${this.#outage ?? "it has just ended."}`;
    return new PostelError(createFailure("upstream_unavailable", message));
  }

  /** Resolves when the server is reachable again; rejects when the call is over. */
  #backUp(signal: AbortSignal): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    return Promise.race([this.#up.promise, promise]);
  }
}

/** Waits for the work for at most `ms`; its outcome does not matter. */
async function within(work: Promise<unknown>, ms: number, clock: Pick<Clock, "sleep">): Promise<void> {
  const done = new AbortController();
  const finished = work.catch(() => {}).finally(() => done.abort());
  await Promise.race([finished, clock.sleep(ms, done.signal).catch(() => {})]);
}
