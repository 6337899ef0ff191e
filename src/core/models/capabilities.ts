// Defines the capabilities of a model, with the source of each field.
import type { ToolMode } from "../messages.ts";
import type { OnInvalid, Sampling } from "../requests.ts";

/** Source of a capability field, highest authority first. */
export type CapabilitySource = "request" | "operator" | "evidence" | "probe" | "shipped" | "default";

type ToolChoiceSupport = "auto" | "none" | "required" | "named";

/** If the prompt opens the reasoning block, the model writes only its closing marker. */
export type ReasoningOpened = "always" | "never" | "by-request";

export interface ReasoningCapability {
  /** The wire's field for reasoning, if the upstream separates it (`reasoning_content`, `reasoning` …). */
  readonly field?: string | undefined;
  /** The id of the reasoning markers in the model's text (`think`, `bracket-think` …). */
  readonly marks?: string | undefined;
  readonly opened: ReasoningOpened;
  /** True if reasoning blocks may also begin in the middle of a turn. */
  readonly interleaved: boolean;
}

/** The way in which the upstream is asked: streaming, non-streaming, or as the client asked. */
type UpstreamStreaming = "always" | "never" | "as-asked";

export interface ModelCapabilities {
  /** The pattern of the profile that matched, or `default`. */
  readonly row: string;
  readonly tools: ToolMode;
  readonly toolChoice: readonly ToolChoiceSupport[];
  readonly jsonSchema: "native" | "json_object" | "none";
  readonly systemRole: "system" | "developer" | "user";
  /** Ids of the formats that this model is known to leak, likeliest first. */
  readonly formats: readonly string[];
  /** Id of the format that the model was trained on; tools and history are written in it in text mode. */
  readonly emulate: string;
  readonly reasoning: ReasoningCapability;
  /** Id of the model's chat template, if known: its turn markers are recognised in the middle of a text. */
  readonly wire?: string | undefined;
  readonly stream: UpstreamStreaming;
  readonly onInvalid: OnInvalid;
  /** `off`: the model's text reaches the client unchanged. */
  readonly parse: "on" | "off";
  /** Reaction to a call with a fraction for an `integer` of the tool's schema. */
  readonly fractions: "refuse" | "pass";
  /** True if the model's server turns control tokens in a message's text into tokens. */
  readonly tokenizesText?: boolean | undefined;
  /** Ids of request quirks to apply (a closed list in `models/`). */
  readonly quirks: readonly string[];
  /** Sampling defaults for text mode, used if the client set none. */
  readonly sampling: Sampling;
  /** Prompt lines about calls in text mode; `{call}` is replaced by the form of a call. */
  readonly prompt?: readonly string[] | undefined;
  /** Prompt lines about calls in native mode. */
  readonly nativePrompt?: readonly string[] | undefined;
  /** Milliseconds until the first event of a stream, if `timeouts.first_event_ms` is not suitable. */
  readonly firstEventMs?: number | undefined;
  /** Maximum number of tokens of prompt and answer together. */
  readonly contextTokens?: number | undefined;
  readonly prices?: Prices | undefined;
  readonly source: { readonly [field: string]: CapabilitySource };
}

/** Prices per million tokens, in the operator's own currency. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Price of prompt tokens from the upstream's cache; absent: the same as `input`. */
  readonly cachedInput?: number | undefined;
}

/** Maximum number of tokens of prompt and answer; `assumed`: neither a profile nor the server states it. */
export interface ContextWindow {
  readonly tokens: number;
  readonly source: CapabilitySource | "server" | "assumed";
}

const ASSUMED: ContextWindow = { tokens: 100_000, source: "assumed" };

/** The profile's value wins over the server's, because the operator may want less. */
export function resolveContextWindow(
  { contextTokens, source }: Pick<ModelCapabilities, "contextTokens" | "source">,
  serverTokens: number | undefined,
): ContextWindow {
  if (contextTokens !== undefined) return { tokens: contextTokens, source: source.contextTokens ?? "default" };
  return serverTokens === undefined ? ASSUMED : { tokens: serverTokens, source: "server" };
}

/** A profile as configuration writes it: every field except the pattern may be left to lower authority. */
export interface ModelProfile {
  /** Model names in lower case, `*` as a wildcard; the longest matching pattern wins. */
  readonly match: readonly string[];
  readonly tools?: ToolMode | undefined;
  readonly toolChoice?: readonly ToolChoiceSupport[] | undefined;
  readonly jsonSchema?: ModelCapabilities["jsonSchema"] | undefined;
  readonly systemRole?: ModelCapabilities["systemRole"] | undefined;
  readonly formats?: readonly string[] | undefined;
  readonly emulate?: string | undefined;
  readonly reasoning?:
    | { readonly [Part in keyof ReasoningCapability]?: ReasoningCapability[Part] | undefined }
    | undefined;
  readonly wire?: string | undefined;
  readonly stream?: UpstreamStreaming | undefined;
  readonly onInvalid?: OnInvalid | undefined;
  readonly parse?: ModelCapabilities["parse"] | undefined;
  readonly fractions?: ModelCapabilities["fractions"] | undefined;
  readonly tokenizesText?: boolean | undefined;
  readonly quirks?: readonly string[] | undefined;
  readonly sampling?: Sampling | undefined;
  readonly prompt?: readonly string[] | undefined;
  readonly nativePrompt?: readonly string[] | undefined;
  readonly firstEventMs?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly prices?: Prices | undefined;
  /** Reason for the profile's values: a source or an observation. */
  readonly why: string;
}

/** A capability that a refusal of an upstream model showed, stored across requests. */
export interface ObservedCapability {
  /** The refused feature: a name of the closed list in `models/`. */
  readonly refused: string;
  /** Text of the upstream's refusal. */
  readonly reason: string;
  /** Epoch milliseconds at which it was seen. */
  readonly at: number;
  /** True if the server stated it when it was probed, before anything was refused. */
  readonly probe?: boolean | undefined;
}
