// State of one request and its answer: caller, ids, permits and the abort signal.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Request } from "express";
import type { Release, Semaphore } from "../../core/async/Semaphore.ts";
import { createFailure, type Failure, PostelError } from "../../core/failures.ts";
import type { Clock, Ids, Observer } from "../../core/ports.ts";
import type { Caller } from "../../core/requests.ts";
import { ResponseWriter, type StallTimeout } from "./ResponseWriter.ts";

/** A request as its handler receives it, with the parsed body if it was read. */
export type ParsedRequest = IncomingMessage & Pick<Request, "body">;

/** Answers an admitted request; an exception becomes an error answer. */
export type RouteHandler = (request: ParsedRequest, response: ServerResponse) => Promise<void>;

/** Dependencies that all requests of a gateway share. */
export interface ServerContext {
  readonly ids: Pick<Ids, "requestId">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly observer: Observer;
  /** Milliseconds, as `StallTimeout` has them. */
  readonly clientStallMs: number;
  /** True if answers of one event-loop tick are written together. */
  readonly fastPaths: boolean;
  /** Paths that are not logged, because probes would flood the log. */
  readonly silent: ReadonlySet<string>;
}

/** Key of the request context on its response. */
const EXCHANGE = Symbol("exchange");

type Borne = ServerResponse & { [EXCHANGE]?: RequestContext };

/** Key of the last response on its connection. */
const ANSWER = Symbol("answer");

type Answering = Duplex & { [ANSWER]?: ServerResponse };

const LEGAL = /^[A-Za-z0-9_-]{1,128}$/;
/** Number of characters of a fresh id that are appended to the client's own id. */
const SUFFIX = 8;

export class RequestContext implements StallTimeout {
  readonly request: ParsedRequest;
  readonly response: ServerResponse;
  /** Without the query. */
  readonly path: string;
  /** The id that the client sees: its own if it sent a valid one. */
  readonly id: string;
  /** The id of logs, recordings and runs. It begins with the caller's, and no two requests share it: callers repeat theirs. */
  readonly run: string;
  /** The writer of every answer. */
  readonly paced: ResponseWriter;
  /** Absent until the request is authenticated. */
  caller: Caller | undefined;
  /** The session that the request is a turn of: its log line names it. */
  session: string | undefined;
  /** Timer that ends the wait for a body. */
  lateBody: NodeJS.Timeout | undefined;
  readonly #serverContext: ServerContext;
  readonly #start: number;
  #resumed: string | undefined;
  #over = false;
  #leaving: AbortController | undefined;
  /** Semaphore in which the request holds a permit. */
  #places: Semaphore | undefined;
  /** Semaphore in which the request holds byte permits for its body. */
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
    this.paced = new ResponseWriter(response, this, serverContext.fastPaths);
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
   * Aborts if the client disconnects before the answer is complete, streaming or not. The same signal for every caller. It
   * follows the response, because a request "closes" as soon as its body has been read.
   */
  get signal(): AbortSignal {
    if (!this.#leaving) {
      this.#leaving = new AbortController();
      if (this.response.destroyed) this.#leave(this.#leaving);
    }
    return this.#leaving.signal;
  }

  /** @throws the signal's reason if the client has disconnected. */
  throwIfGone(): void {
    if (this.response.destroyed) this.signal.throwIfAborted();
  }

  /** Notes the run that this request resumes, for its log line. */
  noteResumed(run: string): void {
    this.#resumed = run;
  }

  /** Takes over a permit and returns it when the request ends. */
  takePlace(places: Semaphore): void {
    if (this.#over) places.release(1);
    else this.#places = places;
  }

  /** Acquires up to `wanted` extra permits without waiting; waiting here could deadlock. Returns their release functions. */
  furtherPlaces(wanted: number): readonly Release[] {
    const leaves: Release[] = [];
    while (leaves.length < wanted) {
      const leave = this.#places?.tryAcquireOne();
      if (!leave) return leaves;
      leaves.push(leave);
    }
    return leaves;
  }

  /** Takes over byte permits and returns them when the request ends or needs fewer. */
  hold(room: Semaphore, held: number): void {
    this.#room = room;
    this.#held = held;
    if (this.#over) this.keep(0);
  }

  /** Returns all byte permits except those still needed. */
  keep(needed: number): void {
    const spare = this.#held - needed;
    if (spare <= 0) return;
    this.#held = needed;
    this.#room?.release(spare);
  }

  /** Called when the answer is complete or the client has disconnected. */
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
    this.#places?.release(1);
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

/** The latest response that was begun on a connection. */
export function getLastResponse(socket: Duplex): ServerResponse | undefined {
  return (socket as Answering)[ANSWER];
}

function handleResponseEnd(this: ServerResponse): void {
  getRequestContext(this).end();
}
