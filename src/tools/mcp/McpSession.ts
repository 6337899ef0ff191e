// One conversation with a server from its greeting to its end: what it lists, and what came of a call. Restarts nothing and trusts no list.
import type { Client, ElicitResult, Transport } from "@modelcontextprotocol/client";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";
import { DedupingTransport } from "./DedupingTransport.ts";
import { needsNewerRevision } from "./needsNewerRevision.ts";
import { type CallTimes, PendingCalls } from "./PendingCalls.ts";
import type { Sdk } from "./sdk.ts";

export interface SessionOptions {
  /** Milliseconds for the greeting, and for each page of a list. */
  readonly startTimeoutMs: number;
  readonly clock: Pick<Clock, "monotonic">;
  /** The server says that it would list other tools now. */
  readonly onChanged: () => void;
  /** Something of what the server sent was dropped: what, in a few words. */
  readonly onDropped: (what: string) => void;
}

/** The first revision without a greeting: each request says for itself who asks, and by which revision. */
const NEWER = "2026-07-28";

/** Pages of a list of tools. */
const MOST_PAGES = 64;

/** What a server may ask of the gateway: forms for a person, and nothing else. */
const ANSWERED = { elicitation: { form: {} } };

/** As long as a timer can be: how long a server may be silent is looked after here, since a person may be asked meanwhile. */
const NEVER_MS = 2_147_483_647;

/** Takes a result as it is: what a server sends is read piece by piece, and one bad piece is not all of it. */
const ANYTHING = {
  "~standard": { version: 1, vendor: "postel", validate: (value: unknown) => ({ value }) },
} as const;

export class McpSession {
  /** Resolves once nothing more can be said. */
  readonly closed: Promise<void>;
  readonly #client: Client;
  readonly #options: SessionOptions;
  readonly #underWay: PendingCalls;
  #isListening = false;

  private constructor(client: Client, options: SessionOptions) {
    this.#client = client;
    this.#options = options;
    this.#underWay = new PendingCalls(options.onDropped);
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      // Both were and will be JSON; which of it the protocol allows, the client checks.
      const answer = await this.#underWay.elicited(params as unknown as JsonObject);
      return answer as ElicitResult;
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    client.onclose = resolve;
  }

  /**
   * Greets the server, and one that knows no greeting in the newer way, over a connection of its own. Rejects with an Error where it cannot
   * be reached, or says nothing in its time; then nothing of it is left open.
   */
  static async open(sdk: Sdk, connect: () => Transport, options: SessionOptions): Promise<McpSession> {
    const { startTimeoutMs, clock } = options;
    const end = clock.monotonic() + startTimeoutMs;
    try {
      return await McpSession.#greet(sdk, connect(), { options, timeout: startTimeoutMs });
    } catch (refusal) {
      if (!needsNewerRevision(refusal, sdk)) throw refusal;
      const timeout = Math.max(1, end - clock.monotonic());
      return await McpSession.#greet(sdk, connect(), { options, timeout, pin: NEWER }).catch((error: unknown) => {
        // It speaks neither, so what it said first is the reason.
        throw error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.EraNegotiationFailed ? refusal : error;
      });
    }
  }

  static async #greet(
    sdk: Sdk,
    transport: Transport,
    { options, timeout, pin }: { readonly options: SessionOptions; readonly timeout: number; readonly pin?: string },
  ): Promise<McpSession> {
    const versionNegotiation = { mode: pin === undefined ? ("legacy" as const) : { pin } };
    const client = new sdk.Client({ name: "postel", version: "1" }, { capabilities: ANSWERED, versionNegotiation });
    const session = new McpSession(client, options);
    client.setNotificationHandler("notifications/tools/list_changed", options.onChanged);
    try {
      await client.connect(new DedupingTransport(transport, options.onDropped), { timeout });
    } catch (error) {
      await client.close();
      await transport.close();
      throw error;
    }
    return session;
  }

  /**
   * What the server lists and `isWanted` lets through, unread.
   * @param most of them: a list that goes on is left there.
   */
  async listTools(isWanted: (listed: JsonValue) => boolean, most: number): Promise<readonly JsonValue[]> {
    const { startTimeoutMs: timeout, onDropped } = this.#options;
    if (!this.#client.getServerCapabilities()?.tools) return [];
    await this.#listen();
    const listed: JsonValue[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && listed.length <= most; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const request = { method: "tools/list", params } as const;
      const answer = await this.#client.request(request, ANYTHING, { timeout });
      const { tools, nextCursor } = isObject(answer) ? answer : {};
      if (Array.isArray(tools))
        for (const tool of tools.filter(isWanted).slice(0, most + 1 - listed.length)) listed.push(tool);
      if (typeof nextCursor !== "string" || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    if (listed.length > most) onDropped(`tools beyond the first ${most}`);
    return listed.slice(0, most);
  }

  /**
   * The result of a call, unread. A word of progress has it wait on; a call that is given up is taken back at the server.
   * @param name the server's own.
   */
  async callTool(name: string, args: JsonObject, times: CallTimes): Promise<JsonObject> {
    const asked = { method: "tools/call", params: { name, arguments: args } } as const;
    const result = await this.#underWay.during(times, (call) =>
      this.#client.request(asked, ANYTHING, {
        ...{ signal: call.signal, timeout: NEVER_MS },
        // Without somebody who hears of progress, none is asked for.
        onprogress: () => call.heard(),
      }),
    );
    return isObject(result) ? result : {};
  }

  /** Without a greeting, changes are told to whoever listens. Where nobody does, or no longer, there may be one at any time. */
  async #listen(): Promise<void> {
    const { startTimeoutMs: timeout, onChanged } = this.#options;
    const isTold = this.#client.getServerCapabilities()?.tools?.listChanged === true;
    if (this.#isListening || !isTold || this.#client.getProtocolEra() !== "modern") return;
    try {
      const { closed } = await this.#client.listen({ toolsListChanged: true }, { timeout });
      this.#isListening = true;
      void closed.then(() => {
        this.#isListening = false;
        onChanged();
      });
    } catch {
      onChanged();
    }
  }

  /** Ends it from this side. */
  async close(): Promise<void> {
    await this.#client.close();
  }
}
