// What every request goes through between its head and its handler, one step after the other, nothing awaited that is there already. Knows no route's handler.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PostelError } from "../core/failures.ts";
import type { Caller, Right } from "../core/requests.ts";
import type { AppServices } from "./AppServices.ts";
import { type Admission, admission, bodyBytes, SHUTTING_DOWN } from "./admission.ts";
import { type CallerGate, callerGate } from "./callerGate.ts";
import { type Cors, cors } from "./cors.ts";
import { Exchange, type House, type ReadRequest } from "./Exchange.ts";
import { jsonBody, type ParseBody, requireJsonType } from "./jsonBody.ts";
import { type Receive, receiving, refuseSurplus, refuseUnmet } from "./receiving.ts";
import { admitted, requireRight } from "./rights.ts";
import { type Turnstile, turnstile } from "./turnstile.ts";

export interface Receiving {
  /** Milliseconds for a body, once it has been asked for. */
  readonly bodyMs: number;
  /** True for a connection beyond those that the server keeps. */
  readonly isSurplus: (socket: Socket) => boolean;
}

/** What a route asks of those that are let through to it. */
export interface Terms {
  /** What a caller needs of which. */
  readonly can: readonly Right[];
  /** True of a stream that may last for days and costs next to nothing: it takes no place from others. */
  readonly lasting?: boolean | undefined;
  readonly readsBody: boolean;
}

/** One for all requests of a gateway, whoever finds their handlers. All that throw, throw what the caller is answered with. */
export class Entrance {
  /** Requests that come together go on a few a round of the loop. */
  readonly inTurn: Turnstile = turnstile();
  readonly #house: House;
  readonly #isSurplus: Receiving["isSurplus"];
  readonly #stopping: AbortSignal;
  readonly #cors: Cors;
  readonly #gate: CallerGate;
  readonly #admit: Admission;
  readonly #receive: Receive;
  readonly #parse: ParseBody;

  /** @param silent paths of which the log has no line. */
  constructor(services: AppServices, { bodyMs, isSurplus }: Receiving, silent: ReadonlySet<string>) {
    const { server, limits, stopping, ids, clock, observer, timeouts } = services;
    this.#house = { ids, clock, observer, readerMs: timeouts.readerMs, silent };
    this.#isSurplus = isSurplus;
    this.#stopping = stopping;
    this.#cors = cors(server.corsOrigins);
    this.#gate = callerGate(server);
    this.#admit = admission(server, stopping);
    this.#receive = receiving({ maxBytes: server.maxBodyBytes, ms: bodyMs, bytes: bodyBytes(server) });
    this.#parse = jsonBody({ depth: limits.jsonDepth, keys: limits.jsonKeys, values: limits.jsonValues });
  }

  open(request: IncomingMessage, response: ServerResponse, path: string): Exchange {
    return new Exchange(request, response, path, this.#house);
  }

  /** What holds for every path; true where the request has its answer by it. @throws PostelError. */
  greet(exchange: Exchange): boolean {
    refuseSurplus(exchange, this.#isSurplus);
    refuseUnmet(exchange.request);
    return this.#cors(exchange);
  }

  /** Who asks is known behind it. @throws PostelError. */
  identify(exchange: Exchange): void {
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
  admit(exchange: Exchange, { can, lasting, readsBody }: Terms): Promise<void> | undefined {
    const caller = admitted(exchange.response);
    requireRight(can, caller);
    const place = lasting ? undefined : this.#admit(exchange);
    if (!readsBody) return place;
    return place ? place.then(() => this.#takeBody(exchange, caller)) : this.#takeBody(exchange, caller);
  }

  #takeBody(exchange: Exchange, caller: Caller): Promise<void> | undefined {
    const { request } = exchange;
    requireJsonType(request.headers["content-type"]);
    const received = this.#receive(exchange);
    return received instanceof Promise
      ? received.then((bytes) => this.#readBody(request, bytes, caller))
      : this.#readBody(request, received, caller);
  }

  #readBody(request: ReadRequest, bytes: Buffer, { name }: Caller): Promise<void> | undefined {
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
