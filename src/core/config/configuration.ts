// Defines the frozen configuration that `config/` loads from postel.yaml, models.yaml and the environment.

import type { JsonObject, JsonValue } from "../messages.ts";
import type { ModelProfile } from "../models/capabilities.ts";
import type { Alias } from "../models/namePatterns.ts";
import type { Right, RunLimits, Sampling } from "../requests.ts";
import type { OnReject } from "../runs/interrupts.ts";
import type { SessionMode } from "../stores/SessionStore.ts";
import type { Credentials } from "./Credentials.ts";
import type { ApprovalPolicy, DangerPolicy } from "./componentActions.ts";
import type { ToolComponent } from "./components.ts";
import type { Secrets } from "./Secrets.ts";
import type { WorkflowConfig } from "./workflows.ts";

export interface Config {
  readonly server: ServerConfig;
  readonly upstreams: readonly UpstreamConfig[];
  /** Model names of clients, resolved before all others. */
  readonly aliases: readonly Alias[];
  /** The shipped profiles of models.yaml. */
  readonly models: readonly ModelProfile[];
  /** The operator's own profiles: `models:` of postel.yaml. */
  readonly operatorModels: readonly ModelProfile[];
  /** The components that are tools. */
  readonly components: readonly ToolComponent[];
  readonly agents: readonly AgentConfig[];
  readonly workflows: readonly WorkflowConfig[];
  readonly egress: EgressConfig;
  /** Default for tools without a `danger` of their own. */
  readonly danger: DangerPolicy;
  readonly limits: LimitsConfig;
  readonly retries: RetriesConfig;
  readonly timeouts: TimeoutsConfig;
  readonly store: StoreConfig;
  readonly audit: AuditConfig;
  readonly memory: MemoryConfig;
  readonly runs: RunsConfig;
  readonly webhooks: readonly WebhookConfig[];
  /** Credentials of owners for services; never shown. */
  readonly credentials: Credentials;
  /** Values that must not be written anywhere: values of the environment, keys of callers. */
  readonly secrets: Secrets;
}

/** Allowed targets of egress, besides public addresses and addresses in the configuration. */
export interface EgressConfig {
  /** Host names that may resolve to private addresses; addresses and networks such as `10.0.0.0/8` that any name may resolve to. */
  readonly allow: readonly string[];
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Maximum bytes of one request body. */
  readonly maxBodyBytes: number;
  /** Maximum bytes of the bodies of all active requests. */
  readonly maxBufferedBytes: number;
  /** Maximum number of open connections; a quarter more are answered once with 503, and further ones are closed. */
  readonly maxConnections: number;
  /** Maximum number of model requests that are answered at once, over all upstreams. */
  readonly maxInFlight: number;
  /** Maximum number of requests that wait for a permit; further ones are refused. */
  readonly maxQueued: number;
  /** Milliseconds that a request waits for a permit. */
  readonly queueMs: number;
  /** Origins that browsers may call from; `*`: any; empty: none. */
  readonly corsOrigins: readonly string[];
  /** The API keys that clients must present; empty: no authentication, loopback only. */
  readonly apiKeys: readonly ApiKey[];
  /** True if the gateway may listen on any address without keys, because something else guards the port. Browsers still need an entry in `corsOrigins`. */
  readonly allowUnauthenticated: boolean;
}

/** An API key of this gateway; only its digest is stored. */
export interface ApiKey {
  /** Name of the caller who holds the key; it owns the caller's stored data. Several keys may have one name. */
  readonly name: string;
  readonly can: readonly Right[];
  /** SHA-256, hex. */
  readonly digest: string;
}

/** A source of models. The first upstream with a `models` pattern that matches the requested name serves it. */
export type UpstreamConfig =
  | {
      readonly type: "server";
      readonly id: string;
      /** The API dialect of the server, by its name in `models/wires`. */
      readonly wire: string;
      readonly baseUrl: string;
      readonly apiKey?: string | undefined;
      readonly headers: Readonly<Record<string, string>>;
      /** For wires with deployments in their URLs: the deployment that serves all models; absent: each model has its own. */
      readonly deployment?: string | undefined;
      /** For wires with a version in their URLs: the API version of the server. */
      readonly apiVersion?: string | undefined;
      /** Name patterns with `*`; `["*"]` matches every name. */
      readonly models: readonly string[];
      /** Model name that is sent upstream for every requested one; absent: the requested name. */
      readonly model?: string | undefined;
      readonly defaults?: RequestDefaults | undefined;
      /** `off`: the text of its models reaches the client unchanged. */
      readonly parse: "on" | "off";
      /** Maximum number of parallel requests to this upstream, 256 by default; further ones wait in the gateway's queue. */
      readonly maxInFlight?: number | undefined;
    }
  | {
      readonly type: "recorded";
      readonly id: string;
      /** Absolute path of the folder of transcripts; each file is a model. */
      readonly transcripts: string;
    };

/** Values of a request to an upstream if neither the client nor the model's profile sets them. */
export interface RequestDefaults {
  readonly sampling: Sampling;
  /** Fields that Postel does not model. */
  readonly passthrough: JsonObject;
}

/** Address of a server, in the terms of its wire. */
export type ServerAddress = Pick<
  Extract<UpstreamConfig, { type: "server" }>,
  "wire" | "baseUrl" | "deployment" | "apiVersion"
>;

/** An error in an address, with the configuration key that contains it. */
export interface AddressIssue {
  readonly key: "base_url" | "deployment" | "api_version";
  readonly message: string;
}

export interface AgentConfig {
  readonly id: string;
  readonly description?: string | undefined;
  /** The model that runs if a client requests this agent's id as the model; absent: the client's model name is used. */
  readonly model?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly tools: readonly AgentTool[];
  /** `ask`: once the model has read untrusted content, each call that sends data out or changes something needs an approval. */
  readonly afterUntrusted?: "ask" | undefined;
  /** The gateway recalls and saves memories automatically; `auto` saves only after turns without tools. Absent: only the model does, with the memory tools. */
  readonly memory?: "auto" | "auto_everywhere" | undefined;
  /** True if a run of a session does not get the earlier messages. */
  readonly forgets?: true | undefined;
  readonly sampling: Sampling;
  readonly limits: RunLimits;
  readonly course?: AgentBehaviourConfig | undefined;
  /** The part of a conversation that the model gets. Absent: as much as fits its context. */
  readonly conversation?: ConversationConfig | undefined;
  /** The named actions of the agent. The loader adds at least one; ids are unique. */
  readonly actions: readonly AgentActionConfig[];
  /** Ids of the agents to which it may hand off the conversation. */
  readonly handoffs?: readonly string[] | undefined;
  /** Overrides for the modes of a session. */
  readonly modes?: Readonly<Partial<Record<SessionMode, AgentMode>>> | undefined;
}

/** Overrides of an agent for a mode; absent members are the agent's own, except that the mode `normal` has no tools by default. */
interface AgentMode {
  readonly model?: string | undefined;
  readonly tools?: readonly AgentTool[] | undefined;
}

/** Input and output of an agent, and its phases before and after the work. */
export interface AgentBehaviourConfig {
  /** JSON Schema of the agent's input, an object. */
  readonly inputs?: JsonObject | undefined;
  /** JSON Schema of the output that is extracted after the model's final answer. */
  readonly output?: JsonObject | undefined;
  /** True if it writes a plan before it works. */
  readonly plan?: boolean | undefined;
  /** True if it reflects on its answer before the client gets it. */
  readonly reflect?: boolean | undefined;
  /** `required`: the first answer must be a call, unless the client sets `tool_choice`. */
  readonly firstTool?: "required" | undefined;
  /** True if it never waits for an approver. */
  readonly nonInteractive?: boolean | undefined;
}

/** The id of an action of an agent or service without a name. */
export const DEFAULT_ACTION = "__default__";

/** An action of an agent: the agent's own values, with the action's overrides. */
export interface AgentActionConfig
  extends Pick<AgentConfig, "systemPrompt" | "tools" | "sampling" | "limits" | "course"> {
  readonly id: string;
  readonly description?: string | undefined;
  /** The task for the model; a template of `input`. */
  readonly task?: string | undefined;
  /** The input that the model sees, a template of `input`; absent: the unchanged input. */
  readonly input?: JsonValue | undefined;
  /** Additional context for the model, a template of `input`. */
  readonly context?: JsonValue | undefined;
  /** Additional JSON Schemas, by name, for the parameters that the `${input.…}` placeholders imply. */
  readonly params?: Readonly<Record<string, JsonObject>> | undefined;
  /** True if its answer is streamed by default. */
  readonly streaming?: boolean | undefined;
}

export interface ConversationConfig {
  /** Maximum number of messages without instructions; the oldest are dropped. */
  readonly maxMessages: number;
  readonly summary?: SummaryConfig | undefined;
}

/** Replaces older messages by a summary. */
export interface SummaryConfig {
  /** Prompt size in tokens above which a summary is made; below 1 a share of the model's context. */
  readonly afterTokens: number;
  /** The model that writes the summary; absent: the run's own model. */
  readonly model?: string | undefined;
  /** The prompt for the summary; absent: the built-in one. */
  readonly prompt?: string | undefined;
  /** Number of latest messages that are never replaced. */
  readonly keepLast: number;
}

/** A tool of an agent; absent members are the tool's own. */
export interface AgentTool {
  /** The name of a built-in tool, or of a component's action. */
  readonly tool: string;
  /** The id of the server that offers the tool, if its tools are only known at run time. If `tool` has the same value, all its tools are meant. */
  readonly server?: string | undefined;
  /** The tool name that the model sees. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Passed to the tool with each call; the model neither sees it nor can change it. */
  readonly context?: JsonObject | undefined;
  readonly approval?: ApprovalPolicy | undefined;
  readonly danger?: DangerPolicy | undefined;
  readonly onReject?: OnReject | undefined;
  /** True if a call returns a task id at once and continues while further turns run. */
  readonly async?: boolean | undefined;
  /** For `ask_user`: true if an answer outside the options is allowed. */
  readonly allowOther?: boolean | undefined;
  /** For `ask_user`: text of the system prompt on when to ask, instead of the built-in one. */
  readonly prompt?: string | undefined;
}

export interface LimitsConfig {
  readonly maxTools: number;
  readonly maxMessages: number;
  readonly jsonDepth: number;
  /** Maximum number of object keys in one request body, counted before it is parsed. */
  readonly jsonKeys: number;
  /** Maximum number of objects, arrays and their members in one request body, counted before it is parsed. */
  readonly jsonValues: number;
  /** Maximum number of characters of one tool's description. */
  readonly descriptionChars: number;
  /** Maximum number of steps for checking all schemas of one request: each node and each listed value is one. */
  readonly schemaSteps: number;
  /** Maximum number of characters of one upstream answer: text, reasoning, arguments and unmodelled fields. */
  readonly answerChars: number;
  /** Maximum number of events of one upstream answer. */
  readonly answerEvents: number;
  /** Maximum number of characters of one structured call's arguments. */
  readonly callChars: number;
  /** Maximum number of calls of one turn that the gateway runs; the model is told that the others were refused. */
  readonly callsPerTurn: number;
  /** Maximum number of calls of one turn that go to the client. */
  readonly maxClientCalls: number;
  /** Maximum number of characters of a tool result that the model gets. */
  readonly toolOutputChars: number;
  readonly parallelTools: number;
  /** Maximum number of characters that one capture of the parser buffers. */
  readonly captureChars: number;
  /** Milliseconds that an approver has for a decision. */
  readonly interruptMs: number;
  /** Maximum number of corrections within one turn. */
  readonly maxCorrections: number;
  readonly run: RunLimits;
}

export interface RetriesConfig {
  /** Total number of attempts, 1–10. */
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
  /** For the complete answer to one request, with its retries, corrections and waits. */
  readonly answerMs: number;
  /** For a client that does not read what it is sent. */
  readonly clientStallMs: number;
  readonly toolMs: number;
}

/** The key that seals the store's decisions and journals: the key itself (32 characters or more), or the absolute path of its file. */
export type SealKeyConfig =
  | { readonly type: "value"; readonly value: string }
  | { readonly type: "file"; readonly file: string };

/** The persistent store and its limits. */
export interface StoreConfig {
  /** Absolute path; absent: in the memory of the process. */
  readonly file?: string | undefined;
  /** Absent: in a file next to the store, with the same name and `.key`. */
  readonly sealKey?: SealKeyConfig | undefined;
  /** Maximum size of the store; beyond it nothing more is written. */
  readonly maxBytes: number;
  /** Maximum number of rows of one owner; beyond it the store deletes the oldest. */
  readonly retentionMax: {
    readonly sessions: number;
    /** Per session. */
    readonly messages: number;
    readonly runs: number;
    /** Per run. */
    readonly events: number;
    readonly memories: number;
  };
  /** Retention in milliseconds: a session since its last use, a run since its end, an event and a memory since its creation. */
  readonly keepMs: {
    readonly sessions: number;
    readonly runs: number;
    readonly events: number;
    readonly memories: number;
  };
}

/** Amount of a text in the audit log besides its hash and length: all up to a limit, or nothing; `none` leaves the hash out too. */
export const AUDIT_CONTENT_MODES = ["whole", "hashed", "none"] as const;
export type AuditedWords = (typeof AUDIT_CONTENT_MODES)[number];

/** The audit log. */
export interface AuditConfig {
  /** Absent: true if the store has a file. */
  readonly enabled?: boolean | undefined;
  /** Absolute path of a file to which entries are written too, as lines. */
  readonly file?: string | undefined;
  /** Milliseconds for which entries stay in the store. */
  readonly keepMs: number;
  /** Arguments of tools, and texts that approvers wrote. */
  readonly arguments: AuditedWords;
  /** Results of tools. */
  readonly results: AuditedWords;
}

/** The search for memories. */
export interface MemoryConfig {
  /** The id of the component whose model finds memories by meaning; absent: they are found by words. */
  readonly vectorStore?: string | undefined;
}

/** Events of a webhook: a run waits for an approver, a background run has ended. */
export const WEBHOOK_EVENTS = ["interrupt", "run-end"] as const;

export interface WebhookConfig {
  readonly url: string;
  /** Key that signs deliveries: base64 after `whsec_`, or the key itself. */
  readonly secret: string;
  readonly events: readonly (typeof WEBHOOK_EVENTS)[number][];
}

export interface RunsConfig {
  /** Milliseconds after which another process may take over a run whose process has ended. */
  readonly leaseMs: number;
  /** Maximum number of parallel background runs in this process. */
  readonly backgroundAtOnce: number;
}

/** Base URL of recorded models; the name never resolves (RFC 6761 reserves `.invalid`). */
export const RECORDED_BASE_URL = "http://recorded.invalid/v1";
