// Interfaces of the services that modules of one layer use; `compose` injects the implementations.

import type { RunEvent } from "./events/events.ts";
import type { Failure } from "./failures.ts";
import type { JsonObject, ToolMode } from "./messages.ts";
import type { ObservedCapability } from "./models/capabilities.ts";
import type { OnInvalid } from "./requests.ts";
import type { ToolDefinition } from "./tools/toolDefinition.ts";
import type { MeasuredCall } from "./tools/toolStatistics.ts";

/** Purpose of an outbound request; retries, breakers, recordings and logs depend on it. */
export interface RequestPurpose {
  readonly kind: "model" | "model-list" | "model-probe" | "pass-through" | "tool" | "mcp" | "webhook" | "memory";
  /** Key of the circuit breaker: upstream and model, or the tool's origin. */
  readonly key: string;
  /** The id of the request or run that caused the exchange. */
  readonly run: string;
  /** Id of the component that reads web pages for models; the egress rules of its hosts apply instead of the configuration's. */
  readonly scraper?: string | undefined;
  /** False for a request that must not be sent twice (a tool's POST). */
  readonly repeatable: boolean;
  /** Maximum number of attempts of a repeatable request; absent: as the retry policy of the gateway says. */
  readonly attempts?: number | undefined;
  readonly timers: {
    /** Milliseconds until the response headers must arrive; the egress has its own connect timer. */
    readonly headersMs: number;
    /** Maximum milliseconds to wait for a server that reports that it is loading its model; absent: no wait. */
    readonly loadMs?: number | undefined;
  };
  /** Called once for every retry, before the wait. */
  readonly onRetry?: ((reason: string) => void) | undefined;
  /** Returns true if an error response refuses a part of the request. The request is then not sent again. */
  readonly isRefusal?: ((status: number, body: string) => boolean) | undefined;
}

export interface EgressRequest {
  readonly method: string;
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly purpose: RequestPurpose;
}

/** Returns false if the bytes still must be read normally. Never throws. */
export type EarlyReader = (bytes: Uint8Array) => boolean;

export interface EgressResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded body bytes; throws a PostelError if the connection breaks. Leaving the loop closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * Registers a fast path for the following chunks. While the body's reader waits, `readAhead` gets each chunk first; if
   * it returns true, the chunk is consumed and the reader waits on. Absent if the body is not read as it arrives, or if it
   * is recorded.
   */
  readonly setEarlyReader?: ((readAhead: EarlyReader) => void) | undefined;
  /** Note of a recording that this response comes from, with the recorded request. */
  readonly note?: string | undefined;
  /** True for the last of several attempts with the same kind of response. A failure states it in its details. */
  readonly retriesSpent?: boolean | undefined;
  /** True if the server reports that it is still loading its model. */
  readonly loading?: boolean | undefined;
  /** Reports a failure found inside the body to the breaker, which decides if it counts. */
  readonly reportFailure?: ((failure: Failure) => void) | undefined;
}

/**
 * Sends outbound HTTP requests. Resolves for every status, once the first body byte or the end of an empty body is
 * there. Rejects with a PostelError (`upstream_unavailable`, `upstream_timeout`, `egress_refused`, `cancelled`,
 * `replay_mismatch`).
 */
export interface Egress {
  send(request: EgressRequest, signal: AbortSignal): Promise<EgressResponse>;
}

/** A program to run, as arguments that no shell interprets. */
export interface ProcessRequest {
  /** Absolute path of the executable file. */
  readonly program: string;
  /** `argv[0]` and the arguments. */
  readonly argv: readonly string[];
  /** Content of standard input; absent: empty. */
  readonly stdin?: string | undefined;
  /** Absolute path of the working directory, without symbolic links. */
  readonly cwd: string;
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that are relative paths: if one leads out of `cwd`, also through symbolic links, nothing runs. */
  readonly paths: readonly string[];
  /** Timeout in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of bytes of standard output and standard error together. */
  readonly maxOutput: number;
  /** The run and the call for which the program is started. */
  readonly purpose: { readonly run: string; readonly callId: string };
}

/** Result of a process: it was not started, or it has ended. */
export type ProcessEnd =
  /** `reason` is a sentence. */
  | { readonly type: "refused"; readonly reason: string }
  | {
      readonly type: "ended";
      readonly stdout: string;
      readonly stderr: string;
      /** Null if a signal ended the process. */
      readonly exitCode: number | null;
      readonly signal?: string | undefined;
      /** Reason why the gateway ended the process: timeout, or more output than `maxOutput`, of which the beginning is returned. */
      readonly stopped?: "timeout" | "output" | undefined;
    };

/** Runs programs. Rejects only with a PostelError: `cancelled` after the signal has ended them, or `replay_mismatch`. */
export interface ProcessPort {
  run(request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd>;
}

/** A program that runs until it is ended and communicates in lines. */
export interface ProgramRequest extends Pick<ProcessRequest, "program" | "argv" | "cwd" | "env"> {
  /** Maximum number of bytes of a line of its standard output; a program that exceeds it is ended. */
  readonly maxLine: number;
}

export interface OpenProgram {
  /** Writes a line to standard input. Resolves once the next line may be written; rejects with an Error once the program has ended. */
  write(line: string): Promise<void>;
  /** Closes standard input; if that does not end the program, kills it with all its child processes. Resolves like `ended`. */
  close(): Promise<void>;
  /** Resolves when no process of the program is left. */
  readonly ended: Promise<ProgramEnd>;
}

export interface ProgramEnd {
  /** A sentence. */
  readonly reason: string;
  /** The last lines of its standard error. */
  readonly stderr: string;
}

/** Starts long-running programs. */
export interface ProgramPort {
  /** @param onLine called with each line of standard output, without its line end, in the event-loop tick in which it arrived. */
  open(request: ProgramRequest, onLine: (line: string) => void): OpenProgram;
}
export interface EmbeddingRequest {
  /** Name of a model, resolved like that of a conversation. */
  readonly model: string;
  readonly texts: readonly string[];
  /** Purpose of the vectors, and the run. */
  readonly purpose: Pick<RequestPurpose, "run"> & { readonly kind: "tool" | "memory" };
}

export interface Embedding {
  /** The model name that was sent upstream. */
  readonly model: string;
  /** One vector per text, in order; all of the same length, and none all zeros. */
  readonly vectors: readonly Float32Array[];
}

/**
 * Converts texts to vectors. Rejects with a PostelError: `model_not_found`, `unsupported_parameter` if the model's
 * upstream has no embeddings, and the failures of an upstream.
 */
export interface Embedder {
  embed(request: EmbeddingRequest, signal: AbortSignal): Promise<Embedding>;
}

/** Finds memories of an owner for a run, best first. Rejects like a store. */
export type SearchMemories = (asked: {
  readonly owner: string;
  readonly query: string;
  readonly run: string;
}) => Promise<readonly string[]>;

/** An observation for logs and metrics. */
export type Observation =
  /** Text and reasoning deltas, which most events are, are not reported. */
  | { readonly type: "run-event"; readonly run: string; readonly event: RunEvent }
  | {
      readonly type: "exchange";
      readonly run: string;
      readonly kind: RequestPurpose["kind"];
      readonly key: string;
      readonly status: number;
      readonly ms: number;
    }
  /** A valid request, before any work is done for it: for recordings. */
  | { readonly type: "request-received"; readonly run: string; readonly request: ReceivedRequest }
  | { readonly type: "retry"; readonly run: string; readonly key: string; readonly reason: string }
  /** End of one model call; `ms` is the time spent on parsing its text. */
  | { readonly type: "parsed"; readonly run: string; readonly ms: number }
  /** `note`: the difference between the result and the service's response; absent: none. */
  | ({ readonly type: "tool-call"; readonly run: string; readonly note?: string } & MeasuredCall)
  | { readonly type: "evidence"; readonly key: string; readonly evidence: ObservedCapability }
  | { readonly type: "failure"; readonly run: string; readonly failure: Failure }
  /** Definitions of the external tools that a run is shown, reported when it begins: for recordings. */
  | {
      readonly type: "shown-tools";
      readonly run: string;
      readonly definitions: readonly ToolDefinition[];
      /** Those of the definitions that the run's owner has agreed to. */
      readonly agreed: () => Promise<ReadonlySet<ToolDefinition>>;
    }
  /** Number of exchanges that could not be recorded so far: reported once, and at the end. The traffic continued. */
  | { readonly type: "recording-failed"; readonly lost: number; readonly reason: string }
  /** State of an MCP server, or the report that a message of it was ignored. Reported when it changes. */
  | {
      readonly type: "tool-server";
      /** The component's id. */
      readonly server: string;
      readonly state: "up" | "down" | "ignored";
      readonly detail: string;
    }
  /** Data is stored in memory for the first time: it is lost when this process ends. Reported once. */
  | { readonly type: "store-in-memory" }
  /** Last entry of the audit log, as `SEQ:HASH TIME`: reported once a minute while it changes. */
  | { readonly type: "audit-head"; readonly head: string }
  /** One HTTP request that the gateway answered; `path` has no query. */
  | {
      readonly type: "request";
      readonly run: string;
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly ms: number;
      /** True if the client disconnected before the answer was complete. */
      readonly aborted: boolean;
      /** Name of the caller; absent if authentication failed. */
      readonly caller?: string | undefined;
      /** The session of the turn. */
      readonly session?: string | undefined;
      /** The run that the request resumed; its other observations have that id. */
      readonly resumed?: string | undefined;
    };

/** A client's request as the HTTP API defines it, whatever its source. */
export interface ReceivedRequest {
  readonly path: "/v1/agent" | "/v1/chat/completions";
  /** The tool mode that the client pinned. */
  readonly toolMode?: ToolMode | undefined;
  readonly onInvalid?: OnInvalid | undefined;
  readonly parse?: "off" | undefined;
  readonly body: JsonObject;
}

export interface Observer {
  /** Never throws, and takes negligible time. */
  observe(observation: Observation): void;
}

/** Replaces secrets in a text that is about to be written. */
export type Redact = (text: string) => string;

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a monotonic clock; only differences are meaningful. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. Clears its timer. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A clock with alarms. */
export interface AlarmClock extends Clock {
  /** Calls `ring` once, after `ms`. Returns a function that cancels the alarm. */
  after(ms: number, ring: () => void): () => void;
}

export interface Ids {
  /** Nine letters and digits, a legal call id for every upstream, including the strictest chat templates. */
  callId(): string;
  /** An unguessable id for requests, runs and completions, without prefix. */
  requestId(): string;
}

/** A number in [0, 1). */
export type Random = () => number;

/**
 * Stores observed capabilities by upstream and model, shared with other gateways if the store is shared. Entries expire.
 * Every method answers within a bounded time, and rejects if the operation fails.
 */
export interface ObservedCapabilityStore {
  /** Valid entries, oldest first; only the latest of each kind. */
  get(key: string): Promise<readonly ObservedCapability[]>;
  put(key: string, evidence: ObservedCapability): Promise<void>;
}
