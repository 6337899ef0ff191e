// The shape of the frozen configuration that `config/` loads from postel.yaml, models.yaml and the environment.

import type { JsonObject, JsonValue } from "../messages.ts";
import type { ModelProfile } from "../models/capabilities.ts";
import type { Alias } from "../models/namePatterns.ts";
import type { Right, RunLimits, Sampling } from "../requests.ts";
import type { OnReject } from "../runs/interrupts.ts";
import type { SessionMode } from "../stores.ts";
import type { Credentials } from "./Credentials.ts";
import type { ApprovalPolicy, DangerPolicy } from "./componentActions.ts";
import type { ToolComponent } from "./components.ts";
import type { Secrets } from "./Secrets.ts";
import type { WorkflowConfig } from "./workflows.ts";

export interface Config {
  readonly server: ServerConfig;
  readonly upstreams: readonly UpstreamConfig[];
  /** Names of clients, looked for before all others. */
  readonly aliases: readonly Alias[];
  /** The shipped rows of models.yaml. */
  readonly models: readonly ModelProfile[];
  /** The operator's own rows: `models:` of postel.yaml. */
  readonly operatorModels: readonly ModelProfile[];
  /** Those that are tools. */
  readonly components: readonly ToolComponent[];
  readonly agents: readonly AgentConfig[];
  readonly workflows: readonly WorkflowConfig[];
  readonly egress: EgressConfig;
  /** Of tools that say nothing of it. */
  readonly danger: DangerPolicy;
  readonly limits: LimitsConfig;
  readonly retries: RetriesConfig;
  readonly timeouts: TimeoutsConfig;
  readonly store: StoreConfig;
  readonly audit: AuditConfig;
  readonly memory: MemoryConfig;
  readonly runs: RunsConfig;
  readonly webhooks: readonly WebhookConfig[];
  /** What callers have that services want of them; not to be seen either. */
  readonly credentials: Credentials;
  /** What must not be written anywhere and is not to be seen in the rest: values of the environment, keys of callers. */
  readonly secrets: Secrets;
}

/** Where what leaves the gateway may go, beside public addresses and what is written as an address itself. */
export interface EgressConfig {
  /** Host names that may lead to private addresses; addresses, and networks as `10.0.0.0/8`, to which any name may lead. */
  readonly allow: readonly string[];
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Bytes. */
  readonly maxBodyBytes: number;
  /** Bytes of all bodies whose requests are being answered. */
  readonly maxBufferedBytes: number;
  /** Connections that are kept; a quarter more are answered once with 503, and what comes beyond those is closed. */
  readonly maxConnections: number;
  /** Requests to models that are answered at once, over all upstreams. */
  readonly maxInFlight: number;
  /** Requests that wait for one of those places; the next is refused. */
  readonly maxQueued: number;
  /** Milliseconds for which a request waits for a place. */
  readonly queueMs: number;
  /** Origins that browsers may call from; `*` for any; empty: none. */
  readonly corsOrigins: readonly string[];
  /** The keys that callers must present; empty: no authentication, loopback only. */
  readonly apiKeys: readonly ApiKey[];
  /** Any address without keys: something else guards the port. Browsers must still be named in `corsOrigins`. */
  readonly allowUnauthenticated: boolean;
}

/** A key of this gateway, of which only the digest is kept. */
export interface ApiKey {
  /** Of the caller who holds it, and so the owner of what the caller keeps here. Several keys may have one name. */
  readonly name: string;
  readonly can: readonly Right[];
  /** SHA-256, hex. */
  readonly digest: string;
}

/** Where models are. The first upstream whose `models` patterns match a requested name serves it. */
export type UpstreamConfig =
  | {
      readonly type: "server";
      readonly id: string;
      /** The language that it speaks, by its name in `models/wires`. */
      readonly wire: string;
      readonly baseUrl: string;
      readonly apiKey?: string | undefined;
      readonly headers: Readonly<Record<string, string>>;
      /** Where the wire's addresses hold one: the deployment that serves all its models; absent: each is called as its model. */
      readonly deployment?: string | undefined;
      /** Where the wire's addresses hold one: the version of the server's API. */
      readonly apiVersion?: string | undefined;
      /** Name patterns with `*`; `["*"]` takes every name. */
      readonly models: readonly string[];
      /** The name that it is asked for, whichever of them was; absent: the one that was. */
      readonly model?: string | undefined;
      readonly defaults?: RequestDefaults | undefined;
      /** `off`: what its models write reaches the client untouched. */
      readonly parse: "on" | "off";
      /** Requests that this upstream is sent at once, 256 where it does not say; further ones wait in the gateway's queue. */
      readonly maxInFlight?: number | undefined;
    }
  | {
      readonly type: "recorded";
      readonly id: string;
      /** Folder of transcripts, absolute; each file is a model. */
      readonly transcripts: string;
    };

/** What a request to an upstream says where neither its caller nor a row of its model does. */
export interface RequestDefaults {
  readonly sampling: Sampling;
  /** Fields that Postel does not model. */
  readonly passthrough: JsonObject;
}

/** Where a server is, in the words of its wire. */
export type ServerAddress = Pick<
  Extract<UpstreamConfig, { type: "server" }>,
  "wire" | "baseUrl" | "deployment" | "apiVersion"
>;

/** What is wrong with an address, by the key of the configuration that says it. */
export interface AddressIssue {
  readonly key: "base_url" | "deployment" | "api_version";
  readonly message: string;
}

export interface AgentConfig {
  readonly id: string;
  readonly description?: string | undefined;
  /** A requested `model` of this agent's id runs this model; absent: the caller's model name is used. */
  readonly model?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly tools: readonly AgentTool[];
  /** `ask`: once the model has read what somebody outside wrote, a person agrees to each call that leaves the gateway or changes something. */
  readonly afterUntrusted?: "ask" | undefined;
  /**
   * The gateway recalls facts for the model and saves them by itself: `auto` saves after turns without tools alone. Absent: a model that
   * has a memory at all calls the tools for it.
   */
  readonly memory?: "auto" | "auto_everywhere" | undefined;
  /** True where a run of a session is given none of what was said before. */
  readonly forgets?: true | undefined;
  readonly sampling: Sampling;
  readonly limits: RunLimits;
  readonly course?: AgentBehaviourConfig | undefined;
  /** What of a conversation the model is told. Absent: as much as it can read. */
  readonly conversation?: ConversationConfig | undefined;
  /** What it can be asked by name. The loader gives each agent at least one; no two have one id. */
  readonly actions: readonly AgentActionConfig[];
  /** Ids of the agents that it may give the conversation to. */
  readonly handoffs?: readonly string[] | undefined;
  /** What it is otherwise in one of the modes of a session. */
  readonly modes?: Readonly<Partial<Record<SessionMode, AgentMode>>> | undefined;
  /** Models to ask where its own cannot be: kept here, and asked by nobody yet. */
  readonly fallbacks?: readonly string[] | undefined;
}

/** An agent in a mode; what is absent is the agent's own, but tools of the mode `normal`, which has none by itself. */
interface AgentMode {
  readonly model?: string | undefined;
  readonly tools?: readonly AgentTool[] | undefined;
}

/** What an agent takes and gives, and what comes before its work and after it. */
export interface AgentBehaviourConfig {
  /** JSON Schema of an object: what it is asked with. */
  readonly inputs?: JsonObject | undefined;
  /** JSON Schema of what is read out of its work once that has ended by itself. */
  readonly output?: JsonObject | undefined;
  /** True where it writes a plan before it works. */
  readonly plan?: boolean | undefined;
  /** True where it looks at its answer before that counts. */
  readonly reflect?: boolean | undefined;
  /** Its first answer must be a call, unless the caller says otherwise. */
  readonly firstTool?: "required" | undefined;
  /** True where it never waits for a person. */
  readonly nonInteractive?: boolean | undefined;
}

/** The id of the action of an agent, or of a service, that names none. */
export const DEFAULT_ACTION = "__default__";

/** One of the things that an agent can be asked to do: the agent's own keys, with those in their place that the action says itself. */
export interface AgentActionConfig
  extends Pick<AgentConfig, "systemPrompt" | "tools" | "sampling" | "limits" | "course"> {
  readonly id: string;
  readonly description?: string | undefined;
  /** What its model is told to do; a template of `input`. */
  readonly task?: string | undefined;
  /** What its model is shown as the input, a template of `input`; absent: the input as it came. */
  readonly input?: JsonValue | undefined;
  /** What its model is shown beside it, a template of `input`. */
  readonly context?: JsonValue | undefined;
  /** Refinements of the parameters that the `${input.…}` placeholders imply, as JSON Schemas by name. */
  readonly params?: Readonly<Record<string, JsonObject>> | undefined;
  /** True where its answer is streamed unless the caller says otherwise. */
  readonly streaming?: boolean | undefined;
}

export interface ConversationConfig {
  /** Messages beside instructions; the oldest are left out. */
  readonly maxMessages: number;
  readonly summary?: SummaryConfig | undefined;
}

/** When and how what was said before is replaced by a summary of it. */
export interface SummaryConfig {
  /** Tokens of a prompt past which that is done; below 1 a share of the model's context. */
  readonly afterTokens: number;
  /** Who writes it; absent: the run's own model. */
  readonly model?: string | undefined;
  /** What it is told; absent: the built-in words. */
  readonly prompt?: string | undefined;
  /** Of the youngest messages so many are never replaced. */
  readonly keepLast: number;
}

/** A tool in the hands of an agent; what is absent is the tool's own. */
export interface AgentTool {
  /** The name of a built-in tool, or of a component's action. */
  readonly tool: string;
  /** The id of the server that offers it, where what it offers shows only while the gateway runs; where `tool` is the same, all of it is meant. */
  readonly server?: string | undefined;
  /** The name that the model calls it by. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Given to the tool with each call; its model never sees it, and no argument changes it. */
  readonly context?: JsonObject | undefined;
  readonly approval?: ApprovalPolicy | undefined;
  readonly danger?: DangerPolicy | undefined;
  readonly onReject?: OnReject | undefined;
  /** True where a call has a task's id at once, and the work goes on beside the run's turns. */
  readonly async?: boolean | undefined;
  /** Of `ask_user`: true where an answer may be none of the options. */
  readonly allowOther?: boolean | undefined;
  /** Of `ask_user`: what the system text says of when to ask, instead of the built-in sentence. */
  readonly prompt?: string | undefined;
}

export interface LimitsConfig {
  readonly maxTools: number;
  readonly maxMessages: number;
  readonly jsonDepth: number;
  /** Keys of objects in one request body, counted before it is parsed. */
  readonly jsonKeys: number;
  /** Objects, arrays and members of both in one request body, counted before it is parsed. */
  readonly jsonValues: number;
  /** Characters of one tool's description. */
  readonly descriptionChars: number;
  /** Steps that checking all schemas of one request may take: each node and each listed value is one. */
  readonly schemaSteps: number;
  /** Characters of one answer of an upstream: text, reasoning, arguments and fields that Postel does not know. */
  readonly answerChars: number;
  /** Events of one answer of an upstream. */
  readonly answerEvents: number;
  /** Characters of one structured call's arguments. */
  readonly callChars: number;
  /** Calls of one turn that the gateway runs; the model reads of the rest that they were refused. */
  readonly callsPerTurn: number;
  /** Calls of one turn that are handed to the client. */
  readonly maxClientCalls: number;
  /** Characters of a tool result that reach the model. */
  readonly toolOutputChars: number;
  readonly parallelTools: number;
  /** Characters that one capture of the parser may hold. */
  readonly captureChars: number;
  /** Milliseconds for which a person may decide. */
  readonly interruptMs: number;
  /** How often a model is asked again within one turn. */
  readonly maxCorrections: number;
  readonly run: RunLimits;
}

export interface RetriesConfig {
  /** Attempts in all, 1–10. */
  readonly attempts: number;
  /** Milliseconds: the first wait's upper bound, doubled each time, and the cap of any wait. */
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
}

/** Milliseconds. */
export interface TimeoutsConfig {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly firstEventMs: number;
  readonly idleMs: number;
  /** For the answer to one request in all: retries, re-asks and their waits share it. */
  readonly answerMs: number;
  /** For a client that does not read what it is sent. */
  readonly clientStallMs: number;
  readonly toolMs: number;
}

/** Where what outlives a request is kept. */
/** The key by which the store's decisions and journals are sealed: itself (32 characters or more), or the absolute file that holds it. */
export type SealKeyConfig =
  | { readonly type: "value"; readonly value: string }
  | { readonly type: "file"; readonly file: string };

export interface StoreConfig {
  /** Absolute; absent: in the memory of the process. */
  readonly file?: string | undefined;
  /** Absent: in a file beside the store, of its name and `.key`. */
  readonly sealKey?: SealKeyConfig | undefined;
  /** Above so much nothing more is written. */
  readonly maxBytes: number;
  /** Rows that one owner may have; the store deletes the oldest above it. */
  readonly retentionMax: {
    readonly sessions: number;
    /** Of one session. */
    readonly messages: number;
    readonly runs: number;
    /** Of one run. */
    readonly events: number;
    readonly memories: number;
  };
  /** Milliseconds for which each is kept: a session since it was used, a run since it ended, an event and a memory since it came. */
  readonly keepMs: {
    readonly sessions: number;
    readonly runs: number;
    readonly events: number;
    readonly memories: number;
  };
}

/** How much of a text the audit has beside its hash and its length: all up to a bound, or nothing; `none`: these are left out too. */
export const AUDIT_CONTENT_MODES = ["whole", "hashed", "none"] as const;
export type AuditedWords = (typeof AUDIT_CONTENT_MODES)[number];

/** What happened, written down so that it can be shown later. */
export interface AuditConfig {
  /** Absent: where the store has a file. */
  readonly enabled?: boolean | undefined;
  /** Absolute: where entries are written once more, as lines. */
  readonly file?: string | undefined;
  /** Milliseconds for which entries are kept in the store. */
  readonly keepMs: number;
  /** What tools were called with, and what people wrote when they decided. */
  readonly arguments: AuditedWords;
  /** What tools gave. */
  readonly results: AuditedWords;
}

/** How lasting facts are found. */
export interface MemoryConfig {
  /** The id of the component by whose model they are found by their meaning; absent: by their words. */
  readonly vectorStore?: string | undefined;
}

/** What a webhook may be told: that a run waits for a person, that a background run has ended. */
export const WEBHOOK_EVENTS = ["interrupt", "run-end"] as const;

export interface WebhookConfig {
  readonly url: string;
  /** Signs what is sent: the base64 of a key behind `whsec_`, or the key itself. */
  readonly secret: string;
  readonly events: readonly (typeof WEBHOOK_EVENTS)[number][];
}

export interface RunsConfig {
  /** Milliseconds after which a run of a process that has ended is another's to go on with. */
  readonly leaseMs: number;
  /** Background runs that go on at once in this process. */
  readonly backgroundAtOnce: number;
}

/** Where recorded models stand in for a network; the name can never resolve (RFC 6761 reserves `.invalid`). */
export const RECORDED_BASE_URL = "http://recorded.invalid/v1";
