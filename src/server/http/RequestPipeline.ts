// The request pipeline: the steps of every request before its handler.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PostelError } from "../../core/failures.ts";
import type { Right } from "../../core/requests.ts";
import type { AppServices } from "../AppServices.ts";
import { createJsonBodyParser, type ParseBody, requireJsonType } from "../body/jsonBody.ts";
import {
  createBodyReader,
  type Receive,
  rejectExcessConnections,
  rejectUnsupportedExpectations,
} from "../body/readBody.ts";
import { ToolListCache } from "../fastpath/ToolListCache.ts";
import { type Admission, createAdmission, createBodyByteSemaphore, SHUTTING_DOWN } from "./admission.ts";
import { type CallerGate, createAuthenticator } from "./authenticate.ts";
import { getCaller, requireRight } from "./authorize.ts";
import { type Cors, createCors } from "./cors.ts";
import { RequestContext, type ServerContext } from "./RequestContext.ts";
import { startThrottle, type Turnstile } from "./startThrottle.ts";

export interface ConnectionInfo {
  /** Milliseconds for a body to arrive after the client was asked for it. */
  readonly bodyMs: number;
  /** Returns true for a connection above the server's limit. */
  readonly isSurplus: (socket: Socket) => boolean;
}

/** Requirements of a route: rights, admission and body. */
export interface RoutePolicy {
  /** Rights of which a caller needs one. */
  readonly can: readonly Right[];
  /** True for a cheap stream that may last for days: it takes no permit. */
  readonly lasting?: boolean | undefined;
  readonly readsBody: boolean;
}

/** Shared by the hot routes and Express. Every method throws the PostelError that the client receives. */
export class RequestPipeline {
  /** Simultaneous requests start a few per event-loop tick. */
  readonly inTurn: Turnstile = startThrottle();
  readonly #serverContext: ServerContext;
  readonly #isSurplus: ConnectionInfo["isSurplus"];
  readonly #stopping: AbortSignal;
  readonly #cors: Cors;
  readonly #gate: CallerGate;
  readonly #admit: Admission;
  readonly #receive: Receive;
  readonly #parse: ParseBody;

  /** @param silent paths that are not logged. */
  constructor(services: AppServices, { bodyMs, isSurplus }: ConnectionInfo, silent: ReadonlySet<string>) {
    const { server, limits, stopSignal: stopping, ids, clock, observer, timeouts, fastPaths } = services;
    this.#serverContext = { ids, clock, observer, clientStallMs: timeouts.clientStallMs, silent, fastPaths };
    this.#isSurplus = isSurplus;
    this.#stopping = stopping;
    this.#cors = createCors(server.corsOrigins);
    this.#gate = createAuthenticator(server);
    this.#admit = createAdmission(server, stopping);
    this.#receive = createBodyReader({
      maxBytes: server.maxBodyBytes,
      ms: bodyMs,
      bytes: createBodyByteSemaphore(server),
    });
    this.#parse = createJsonBodyParser(
      { depth: limits.jsonDepth, keys: limits.jsonKeys, values: limits.jsonValues },
      fastPaths ? new ToolListCache() : undefined,
    );
  }

  open(request: IncomingMessage, response: ServerResponse, path: string): RequestContext {
    return new RequestContext(request, response, path, this.#serverContext);
  }

  /** Applies the checks of every path; returns true if the request was answered. @throws PostelError. */
  greet(exchange: RequestContext): boolean {
    rejectExcessConnections(exchange, this.#isSurplus);
    rejectUnsupportedExpectations(exchange.request);
    return this.#cors(exchange);
  }

  /** Authenticates the request and sets its caller. @throws PostelError. */
  identify(exchange: RequestContext): void {
    exchange.caller = this.#gate(exchange.request.headers);
    if (!this.#stopping.aborted) return;
    exchange.paced.setHeader("connection", "close");
    throw new PostelError(SHUTTING_DOWN);
  }

  /** Authorizes and admits the request and reads its body if the route needs it. @throws PostelError. */
  async admit(exchange: RequestContext, { can, lasting, readsBody }: RoutePolicy): Promise<void> {
    const { request } = exchange;
    const caller = getCaller(exchange.response);
    requireRight(can, caller);
    if (!lasting) await this.#admit(exchange);
    if (!readsBody) return;
    requireJsonType(request.headers["content-type"]);
    request.body = await this.#parse(await this.#receive(exchange), caller.name);
  }
}
