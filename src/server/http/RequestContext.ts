// One request and its answer, while they last: who asks, under which ids, and what is given back when it is over. Knows no route and no form of an answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Request } from "express";
import type { Release, Semaphore } from "../../core/async/Semaphore.ts";
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import type { Clock, Ids, Observer } from "../../core/ports.ts";
import type { Caller } from "../../core/requests.ts";
import { ResponseWriter, type StallTimeout } from "./ResponseWriter.ts";

/** A request as its handler has it: with what its body came to, where it was read. */
export type ParsedRequest = IncomingMessage & Pick<Request, "body">;

/** Answers a request that was let through; whatever it throws is answered for it. */
export type RouteHandler = (request: ParsedRequest, response: ServerResponse) => Promise<void>;

/** What all exchanges of a gateway have in common. */
export interface ServerContext {
  readonly ids: Pick<Ids, "requestId">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly observer: Observer;
  /** Milliseconds, as `StallTimeout` has them. */
  readonly clientStallMs: number;
  /** Paths of which nothing is told: probes would drown the rest. */
  readonly silent: ReadonlySet<string>;
}

/** Under which its response bears its exchange. */
const EXCHANGE = Symbol("exchange");

type Borne = ServerResponse & { [EXCHANGE]?: RequestContext };

/** Under which a connection bears its last answer. */
const ANSWER = Symbol("answer");

type Answering = Duplex & { [ANSWER]?: ServerResponse };

const LEGAL = /^[A-Za-z0-9_-]{1,128}$/;
/** Characters of a fresh id behind a caller's own. */
const SUFFIX = 8;

export class RequestContext implements StallTimeout {
  readonly request: ParsedRequest;
  readonly response: ServerResponse;
  /** Without the query. */
  readonly path: string;
  /** What the caller sees: its own where it chose a legal one. */
  readonly id: string;
  /** The id of logs, recordings and runs. It begins with the caller's, and no two requests share it: callers repeat theirs. */
  readonly run: string;
  /** Every answer goes through it. */
  readonly paced: ResponseWriter;
  /** Absent until the gate has let the request in. */
  caller: Caller | undefined;
  /** The session that the request is a turn of: its log line names it. */
  session: string | undefined;
  /** Where a body is waited for: ends it. */
  lateBody: NodeJS.Timeout | undefined;
  readonly #serverContext: ServerContext;
  readonly #start: number;
  #resumed: string | undefined;
  #over = false;
  #leaving: AbortController | undefined;
  /** Where it has its place. */
  #places: Semaphore | undefined;
  /** Where it holds so much for its body. */
  #room: Semaphore | undefined;
  #held = 0;

  constructor(request: IncomingMessage, response: ServerResponse, path: string, serverContext: ServerContext) {
    this.request = request as ParsedRequest;
    this.response = response;
    this.path = path;
    this.#serverContext = serverContext;
    this.#start = serverContext.clock.monotonic();
    const given = request.headers["x-request-id"];
    const fresh = serverContext.ids.requestId();
    const chosen = typeof given === "string" && LEGAL.test(given);
    this.id = chosen ? given : fresh;
    this.run = chosen ? `${given}-${fresh.slice(0, SUFFIX)}` : fresh;
    this.caller = undefined;
    this.session = undefined;
    this.lateBody = undefined;
    this.paced = new ResponseWriter(response, this);
    this.paced.setHeader("x-request-id", this.id);
    (response as Borne)[EXCHANGE] = this;
    (request.socket as Answering)[ANSWER] = response;
    response.on("close", handleResponseEnd);
  }

  get clientStallMs(): number {
    return this.#serverContext.clientStallMs;
  }

  onStall(stalled: Failure): void {
    this.#serverContext.observer.observe({ type: "failure", run: this.run, failure: stalled });
  }

  /**
   * Aborts when the client leaves before the answer is whole, streamed or not: the same for whoever asks. It follows the response and not the
   * request, because a request "closes" as soon as its body has been read.
   */
  get signal(): AbortSignal {
    if (!this.#leaving) {
      this.#leaving = new AbortController();
      if (this.response.destroyed) this.#leave(this.#leaving);
    }
    return this.#leaving.signal;
  }

  /** @throws the signal's reason where the client has left. */
  throwIfGone(): void {
    if (this.response.destroyed) this.signal.throwIfAborted();
  }

  /** Takes that run further: its log line has what is heard of it. */
  noteResumed(run: string): void {
    this.#resumed = run;
  }

  /** Has a place there, from now until it is over. */
  takePlace(places: Semaphore): void {
    if (this.#over) places.giveBack(1);
    else this.#places = places;
  }

  /** The ways to give back further places, so many of those that are wanted as are free now: nobody waits for a second one while holding a first. */
  furtherPlaces(wanted: number): readonly Release[] {
    const leaves: Release[] = [];
    while (leaves.length < wanted) {
      const leave = this.#places?.takeFree();
      if (!leave) return leaves;
      leaves.push(leave);
    }
    return leaves;
  }

  /** Holds so much there, from now until it is over or needs less. */
  hold(room: Semaphore, held: number): void {
    this.#room = room;
    this.#held = held;
    if (this.#over) this.keep(0);
  }

  /** Gives back all that it holds but what it still needs. */
  keep(needed: number): void {
    const spare = this.#held - needed;
    if (spare <= 0) return;
    this.#held = needed;
    this.#room?.giveBack(spare);
  }

  /** The answer is whole, or its client has left. */
  end(): void {
    this.#over = true;
    const { response, path } = this;
    const { observer, clock, silent } = this.#serverContext;
    const aborted = !response.writableFinished;
    if (!silent.has(path)) {
      observer.observe({
        type: "request",
        run: this.run,
        method: this.request.method ?? "",
        path,
        status: response.statusCode,
        ms: Math.round(clock.monotonic() - this.#start),
        aborted,
        caller: this.caller?.name,
        session: this.session,
        resumed: this.#resumed,
      });
    }
    if (this.#leaving) this.#leave(this.#leaving);
    if (this.lateBody) clearTimeout(this.lateBody);
    this.keep(0);
    this.#places?.giveBack(1);
  }

  #leave(leaving: AbortController): void {
    if (this.response.writableFinished) return;
    leaving.abort(
      new PostelError(createFailure("cancelled", "The client closed the connection before the answer was whole.")),
    );
  }
}

/** The exchange that a response of the gateway belongs to. */
export function getRequestContext(response: ServerResponse): RequestContext {
  const exchange = (response as Borne)[EXCHANGE];
  if (exchange) return exchange;
  throw new TypeError("An answer was begun outside of the gateway's door.");
}

/** The answer that was begun last on a connection. */
export function getLastResponse(socket: Duplex): ServerResponse | undefined {
  return (socket as Answering)[ANSWER];
}

function handleResponseEnd(this: ServerResponse): void {
  getRequestContext(this).end();
}
