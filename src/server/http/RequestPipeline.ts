// What every request goes through between its head and its handler, one step after the other, nothing awaited that is there already. Knows no route's handler.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PostelError } from "../../core/failures.ts";
import type { Caller, Right } from "../../core/requests.ts";
import type { AppServices } from "../AppServices.ts";
import { createJsonBodyParser, type ParseBody, requireJsonType } from "../body/jsonBody.ts";
import {
  createBodyReader,
  type Receive,
  rejectExcessConnections,
  rejectUnsupportedExpectations,
} from "../body/readBody.ts";
import { type Admission, createAdmission, createBodyByteSemaphore, SHUTTING_DOWN } from "./admission.ts";
import { type CallerGate, createAuthenticator } from "./authenticate.ts";
import { getCaller, requireRight } from "./authorize.ts";
import { type Cors, createCors } from "./cors.ts";
import { type ParsedRequest, RequestContext, type ServerContext } from "./RequestContext.ts";
import { startThrottle, type Turnstile } from "./startThrottle.ts";

export interface ConnectionInfo {
  /** Milliseconds for a body, once it has been asked for. */
  readonly bodyMs: number;
  /** True for a connection beyond those that the server keeps. */
  readonly isSurplus: (socket: Socket) => boolean;
}

/** What a route asks of those that are let through to it. */
export interface RoutePolicy {
  /** What a caller needs of which. */
  readonly can: readonly Right[];
  /** True of a stream that may last for days and costs next to nothing: it takes no place from others. */
  readonly lasting?: boolean | undefined;
  readonly readsBody: boolean;
}

/** One for all requests of a gateway, whoever finds their handlers. All that throw, throw what the caller is answered with. */
export class RequestPipeline {
  /** Requests that come together go on a few a round of the loop. */
  readonly inTurn: Turnstile = startThrottle();
  readonly #serverContext: ServerContext;
  readonly #isSurplus: ConnectionInfo["isSurplus"];
  readonly #stopping: AbortSignal;
  readonly #cors: Cors;
  readonly #gate: CallerGate;
  readonly #admit: Admission;
  readonly #receive: Receive;
  readonly #parse: ParseBody;

  /** @param silent paths of which the log has no line. */
  constructor(services: AppServices, { bodyMs, isSurplus }: ConnectionInfo, silent: ReadonlySet<string>) {
    const { server, limits, stopping, ids, clock, observer, timeouts } = services;
    this.#serverContext = { ids, clock, observer, clientStallMs: timeouts.clientStallMs, silent };
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
    this.#parse = createJsonBodyParser({ depth: limits.jsonDepth, keys: limits.jsonKeys, values: limits.jsonValues });
  }

  open(request: IncomingMessage, response: ServerResponse, path: string): RequestContext {
    return new RequestContext(request, response, path, this.#serverContext);
  }

  /** What holds for every path; true where the request has its answer by it. @throws PostelError. */
  greet(exchange: RequestContext): boolean {
    rejectExcessConnections(exchange, this.#isSurplus);
    rejectUnsupportedExpectations(exchange.request);
    return this.#cors(exchange);
  }

  /** Who asks is known behind it. @throws PostelError. */
  identify(exchange: RequestContext): void {
    exchange.caller = this.#gate(exchange.request.headers);
    if (!this.#stopping.aborted) return;
    exchange.paced.setHeader("connection", "close");
    throw new PostelError(SHUTTING_DOWN);
  }

  /**
   * The request may go to its handler behind it, and has its body where that is read; a promise only where something is waited for, which
   * rejects as this throws.
   * @throws PostelError.
   */
  admit(exchange: RequestContext, { can, lasting, readsBody }: RoutePolicy): Promise<void> | undefined {
    const caller = getCaller(exchange.response);
    requireRight(can, caller);
    const place = lasting ? undefined : this.#admit(exchange);
    if (!readsBody) return place;
    return place ? place.then(() => this.#takeBody(exchange, caller)) : this.#takeBody(exchange, caller);
  }

  #takeBody(exchange: RequestContext, caller: Caller): Promise<void> | undefined {
    const { request } = exchange;
    requireJsonType(request.headers["content-type"]);
    const received = this.#receive(exchange);
    return received instanceof Promise
      ? received.then((bytes) => this.#readBody(request, bytes, caller))
      : this.#readBody(request, received, caller);
  }

  #readBody(request: ParsedRequest, bytes: Buffer, { name }: Caller): Promise<void> | undefined {
    const value = this.#parse(bytes, name);
    if (value instanceof Promise) {
      return value.then((later: unknown) => {
        request.body = later;
      });
    }
    request.body = value;
    return undefined;
  }
}
