// The services that rooms of one floor reach only through an interface; `compose` injects them.

import type { RunEvent } from "./events/events.ts";
import type { Failure } from "./failures.ts";
import type { JsonObject, ToolMode } from "./messages.ts";
import type { ObservedCapability } from "./models/capabilities.ts";
import type { OnInvalid } from "./requests.ts";
import type { ToolDefinition } from "./tools/toolDefinition.ts";
import type { MeasuredCall } from "./tools/toolStatistics.ts";

/** Why an exchange is sent: what retries, breakers, recordings and logs go by. */
export interface RequestPurpose {
  readonly kind: "model" | "model-list" | "model-probe" | "pass-through" | "tool" | "mcp" | "webhook" | "memory";
  /** What a breaker counts by: upstream and model, or the tool's origin. */
  readonly key: string;
  /** The id of the request or run that caused the exchange. */
  readonly run: string;
  /** The id of the component that reads pages for models: its hosts count here, and not what the configuration writes elsewhere. */
  readonly scraper?: string | undefined;
  /** False for what must not happen twice (a tool's POST). */
  readonly repeatable: boolean;
  /** How often what is repeatable is sent at the most; absent: as often as the policy of the gateway says. */
  readonly attempts?: number | undefined;
  readonly timers: {
    /** Milliseconds until the response headers must be there; the connect timer is the egress's own. */
    readonly headersMs: number;
    /** Milliseconds for which a server that says that it is loading its model is waited for; absent: not at all. */
    readonly loadMs?: number | undefined;
  };
  /** Called once for every retry, before the wait. */
  readonly onRetry?: ((reason: string) => void) | undefined;
  /** True where an error's body refuses a part of the request, so that the same request would be refused again: it is not sent again. */
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

/** False where the bytes are still to be read. Throws nothing. */
export type EarlyReader = (bytes: Uint8Array) => boolean;

export interface EgressResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded body bytes; breaks with a PostelError where the connection does. Leaving the loop closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * From now on what comes while a reader waits is given to `readAhead` first, as it came in one read: where that says true it has been
   * read, and the reader waits on. Absent where a body is not read as it comes, or somebody keeps what is read.
   */
  readonly aheadOf?: ((readAhead: EarlyReader) => void) | undefined;
  /**
   * All of the body, where all of it has come by now and none of it has been read; the reader of the body then finds its end. Undefined
   * where more is to come, or it broke. Absent where a body is not read as it comes, or somebody keeps what is read.
   */
  readonly whole?: (() => Uint8Array | undefined) | undefined;
  /** A recording says that it is one, and what it was asked then. */
  readonly note?: string | undefined;
  /** True where this is the last of several attempts, all of which went like it. A failure says so in its details. */
  readonly retriesSpent?: boolean | undefined;
  /** True where the server says that it is still loading its model: the same request will do once it has. */
  readonly loading?: boolean | undefined;
  /** Tells the breaker of a failure that was found inside the body; it decides whether that one counts. */
  readonly reportFailure?: ((failure: Failure) => void) | undefined;
}

/**
 * How bytes leave the gateway. Resolves with the first body byte in hand (or an empty body's end), for every status;
 * rejects with a PostelError (`upstream_unavailable`, `upstream_timeout`, `egress_refused`, `cancelled`, `replay_mismatch`).
 */
export interface Egress {
  send(request: EgressRequest, signal: AbortSignal): Promise<EgressResponse>;
}

/** A program that is to run, in words that no shell reads. */
export interface ProcessRequest {
  /** The file that runs: absolute. */
  readonly program: string;
  /** The name that it is told is its own, and its words. */
  readonly argv: readonly string[];
  /** What stands on its standard input, which then ends; absent: it is empty. */
  readonly stdin?: string | undefined;
  /** Absolute, without links. */
  readonly cwd: string;
  /** The whole of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative paths among the words: where one leads out of `cwd`, by links too, nothing runs. */
  readonly paths: readonly string[];
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Bytes of standard output and standard error together. */
  readonly maxOutput: number;
  /** The run, and the call of it, that it is started for. */
  readonly purpose: { readonly run: string; readonly callId: string };
}

/** What came of a process: it was not started, or it has ended. */
export type ProcessEnd =
  /** `reason` is a sentence. */
  | { readonly type: "refused"; readonly reason: string }
  | {
      readonly type: "ended";
      readonly stdout: string;
      readonly stderr: string;
      /** Null where a signal ended it. */
      readonly exitCode: number | null;
      readonly signal?: string | undefined;
      /** Why it was ended by the gateway: its time was up, or it wrote more than `maxOutput`, of which the beginning is kept. */
      readonly stopped?: "timeout" | "output" | undefined;
    };

/** How programs are run. Rejects with a PostelError only: `cancelled` once the signal has ended them, `replay_mismatch`. */
export interface ProcessPort {
  run(request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd>;
}

/** A program that runs on until it is ended, and is spoken with in lines. */
export interface ProgramRequest extends Pick<ProcessRequest, "program" | "argv" | "cwd" | "env"> {
  /** Bytes of one line of its standard output: one that writes a longer one is ended. */
  readonly maxLine: number;
}

export interface OpenProgram {
  /** Writes a line to its standard input. Resolves once it may be given the next; rejects with an Error once the program has ended. */
  write(line: string): Promise<void>;
  /** Has its standard input end, and where that is not enough ends it and all that it has started. Resolves as `ended` does. */
  close(): Promise<void>;
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<ProgramEnd>;
}

export interface ProgramEnd {
  /** A sentence. */
  readonly reason: string;
  /** What it last wrote to standard error: a few lines. */
  readonly stderr: string;
}

/** How programs are kept running. */
export interface ProgramPort {
  /** @param onLine hears each line of its standard output, without its end, in the turn of the loop in which it came. */
  open(request: ProgramRequest, onLine: (line: string) => void): OpenProgram;
}
export interface EmbeddingRequest {
  /** A model's name, resolved as that of a conversation. */
  readonly model: string;
  readonly texts: readonly string[];
  /** For what texts are made into vectors, and for which run. */
  readonly purpose: Pick<RequestPurpose, "run"> & { readonly kind: "tool" | "memory" };
}

export interface Embedding {
  /** The name that the upstream was asked for. */
  readonly model: string;
  /** One a text, in their order; all of one length, and none of zeros alone. */
  readonly vectors: readonly Float32Array[];
}

/**
 * How texts become vectors. Rejects with a PostelError: `model_not_found`, `unsupported_parameter` where the model's upstream has no
 * embeddings, and as an upstream's refusal, silence or broken answer does.
 */
export interface Embedder {
  embed(request: EmbeddingRequest, signal: AbortSignal): Promise<Embedding>;
}

/** Finds lasting facts of an owner for a run, best first. Rejects as a store does. */
export type SearchMemories = (asked: {
  readonly owner: string;
  readonly query: string;
  readonly run: string;
}) => Promise<readonly string[]>;

/** Something that happened, for logs and metrics. */
export type Observation =
  /** Words, which most events are, are not told. */
  | { readonly type: "run-event"; readonly run: string; readonly event: RunEvent }
  | {
      readonly type: "exchange";
      readonly run: string;
      readonly kind: RequestPurpose["kind"];
      readonly key: string;
      readonly status: number;
      readonly ms: number;
    }
  /** What a caller asked, once it was found right and before anything is done about it: for recordings. */
  | { readonly type: "request-received"; readonly run: string; readonly request: ReceivedRequest }
  | { readonly type: "retry"; readonly run: string; readonly key: string; readonly reason: string }
  /** The text of one model call was read to its end: `ms` is the time that went into parsing it. */
  | { readonly type: "parsed"; readonly run: string; readonly ms: number }
  /** `note`: how the result differs from what the tool's service sent; absent: it does not. */
  | ({ readonly type: "tool-call"; readonly run: string; readonly note?: string } & MeasuredCall)
  | { readonly type: "evidence"; readonly key: string; readonly evidence: ObservedCapability }
  | { readonly type: "failure"; readonly run: string; readonly failure: Failure }
  /** What servers outside of the gateway say of the tools that a run is shown, told when it begins: for recordings. */
  | {
      readonly type: "shown-tools";
      readonly run: string;
      readonly definitions: readonly ToolDefinition[];
      /** Those of them that somebody of the run's owner has agreed to. */
      readonly agreed: () => Promise<ReadonlySet<ToolDefinition>>;
    }
  /** Exchanges that could not be recorded, so many so far: told once, and at the end. The traffic went on. */
  | { readonly type: "recording-failed"; readonly lost: number; readonly reason: string }
  /** What became of a server of tools, or that something which it sent was not heeded: told when it changes, not each time. */
  | {
      readonly type: "tool-server";
      /** The component's id. */
      readonly server: string;
      readonly state: "up" | "down" | "ignored";
      readonly detail: string;
    }
  /** Something is kept for the first time, and in memory: it ends with this process. Told once. */
  | { readonly type: "store-in-memory" }
  /** The audit's last entry, as `SEQ:HASH TIME`: told while it moves, once a minute. */
  | { readonly type: "audit-head"; readonly head: string }
  /** One HTTP request that the gateway answered; `path` is without its query. */
  | {
      readonly type: "request";
      readonly run: string;
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly ms: number;
      /** True where the caller left before the answer was whole. */
      readonly aborted: boolean;
      /** The caller's name; absent where nobody was let in. */
      readonly caller?: string | undefined;
      /** The session that it is a turn of. */
      readonly session?: string | undefined;
      /** The run that it took further: of it something was heard under that id. */
      readonly resumed?: string | undefined;
    };

/** A request of a caller as the HTTP contract has it, wherever it came from. */
export interface ReceivedRequest {
  readonly path: "/v1/agent" | "/v1/chat/completions";
  /** The mode that the caller pinned. */
  readonly toolMode?: ToolMode | undefined;
  readonly onInvalid?: OnInvalid | undefined;
  readonly parse?: "off" | undefined;
  readonly body: JsonObject;
}

export interface Observer {
  /** Never throws, and what it does takes no time that anybody would notice. */
  observe(observation: Observation): void;
}

/** Replaces secrets in a text that is about to be written anywhere. */
export type Redact = (text: string) => string;

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. Leaves no timer behind. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A clock that rings too. */
export interface AlarmClock extends Clock {
  /** Calls `ring` once, after `ms`; what it gives calls it off. */
  after(ms: number, ring: () => void): () => void;
}

export interface Ids {
  /** Nine letters and digits: legal as a call id for every upstream: the strictest chat templates take nothing else. */
  callId(): string;
  /** An unguessable id for requests, runs and completions, without prefix. */
  requestId(): string;
}

/** A number in [0, 1). */
export type Random = () => number;

/**
 * Remembers live evidence by upstream and model, also of other gateways where it is shared; entries decay. Every method answers
 * within a bounded time, and rejects where what it was asked could not be done.
 */
export interface ObservedCapabilityStore {
  /** What is good, oldest first, the youngest of each kind. */
  get(key: string): Promise<readonly ObservedCapability[]>;
  put(key: string, evidence: ObservedCapability): Promise<void>;
}
