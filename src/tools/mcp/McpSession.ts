// A session with an MCP server from its handshake to its end: lists tools and calls them. Restarts nothing; lists are
// untrusted.
import type { Client, ElicitResult, Transport } from "@modelcontextprotocol/client";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { Clock } from "../../core/ports.ts";
import { DedupingTransport } from "./DedupingTransport.ts";
import { needsNewerRevision } from "./needsNewerRevision.ts";
import { type CallTimes, PendingCalls } from "./PendingCalls.ts";
import type { Sdk } from "./sdk.ts";

export interface SessionOptions {
  /** Milliseconds for the handshake, and for each page of a list. */
  readonly startTimeoutMs: number;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called when the server announces a changed tool list. */
  readonly onChanged: () => void;
  /** Called with a short description when data of the server was dropped. */
  readonly onDropped: (what: string) => void;
}

/** First protocol revision without an initialize handshake: each request names the client and the revision. */
const NEWER = "2026-07-28";

/** Pages of a list of tools. */
const MOST_PAGES = 64;

/** Client capabilities: forms for the user, and nothing else. */
const ANSWERED = { elicitation: { form: {} } };

/**
 * The longest timer that Node supports: this module measures the silence of a server itself, since the user may be asked
 * meanwhile.
 */
const NEVER_MS = 2_147_483_647;

/** Accepts any result: results are read piece by piece, so that one bad piece does not reject all of it. */
const ANYTHING = {
  "~standard": { version: 1, vendor: "postel", validate: (value: unknown) => ({ value }) },
} as const;

export class McpSession {
  /** Resolves when the connection has ended. */
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
      // Both types are JSON; the client library validates the form.
      const answer = await this.#underWay.elicited(params as unknown as JsonObject);
      return answer as ElicitResult;
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    client.onclose = resolve;
  }

  /**
   * Initializes a session; a server without the handshake is tried in the newer revision, over a second connection. Rejects
   * with an Error if the server is unreachable or times out; nothing remains open then.
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
        // The server supports neither revision, so its first error is the reason.
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

  /** Tools of the server that pass `isWanted`, unparsed. @param limit maximum number; a longer list is truncated. */
  async listTools(isWanted: (listed: JsonValue) => boolean, limit: number): Promise<readonly JsonValue[]> {
    const { startTimeoutMs: timeout, onDropped } = this.#options;
    if (!this.#client.getServerCapabilities()?.tools) return [];
    await this.#listen();
    const listed: JsonValue[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && listed.length <= limit; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const request = { method: "tools/list", params } as const;
      const answer = await this.#client.request(request, ANYTHING, { timeout });
      const { tools, nextCursor } = isObject(answer) ? answer : {};
      if (Array.isArray(tools))
        for (const tool of tools.filter(isWanted).slice(0, limit + 1 - listed.length)) listed.push(tool);
      if (typeof nextCursor !== "string" || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    if (listed.length > limit) onDropped(`tools beyond the first ${limit}`);
    return listed.slice(0, limit);
  }

  /**
   * Result of a call, unparsed. Progress messages restart the timeout; an aborted call is cancelled at the server. @param
   * name the server's own.
   */
  async callTool(name: string, args: JsonObject, times: CallTimes): Promise<JsonObject> {
    const callRequest = { method: "tools/call", params: { name, arguments: args } } as const;
    const result = await this.#underWay.during(times, (call) =>
      this.#client.request(callRequest, ANYTHING, {
        ...{ signal: call.signal, timeout: NEVER_MS },
        // Progress is requested only with this callback.
        onprogress: () => call.keepAlive(),
      }),
    );
    return isObject(result) ? result : {};
  }

  /**
   * Without the handshake, change notifications need a subscription. If it is missing or lost, changes may occur at any time.
   */
  async #listen(): Promise<void> {
    const { startTimeoutMs: timeout, onChanged } = this.#options;
    const isAnnounced = this.#client.getServerCapabilities()?.tools?.listChanged === true;
    if (this.#isListening || !isAnnounced || this.#client.getProtocolEra() !== "modern") return;
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

  /** Closes the session from the client side. */
  async close(): Promise<void> {
    await this.#client.close();
  }
}
