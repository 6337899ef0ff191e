// What is known of a model, field by field, and where each piece of knowledge came from.
import type { ToolMode } from "../messages.ts";
import type { OnInvalid, Sampling } from "../requests.ts";

/** Where a capability field was learnt, highest authority first. */
export type CapabilitySource = "request" | "operator" | "evidence" | "probe" | "shipped" | "default";

type ToolChoiceSupport = "auto" | "none" | "required" | "named";

/** Whether the prompt opens the reasoning block, so that only its closer will be seen. */
export type ReasoningOpened = "always" | "never" | "by-request";

export interface ReasoningCapability {
  /** The field of the wire that carries reasoning, if the upstream splits it off itself (`reasoning_content`, `reasoning` …). */
  readonly field?: string | undefined;
  /** The id of the reasoning marks that the model writes into its text (`think`, `bracket-think` …). */
  readonly marks?: string | undefined;
  readonly opened: ReasoningOpened;
  /** Whether blocks with these marks may also begin in the middle of a turn. */
  readonly interleaved: boolean;
}

/** How the upstream is asked for its answer: streamed, whole, or as the caller asked. */
type UpstreamStreaming = "always" | "never" | "as-asked";

export interface ModelCapabilities {
  /** The pattern of the row that matched, or `default`. */
  readonly row: string;
  readonly tools: ToolMode;
  readonly toolChoice: readonly ToolChoiceSupport[];
  readonly jsonSchema: "native" | "json_object" | "none";
  readonly systemRole: "system" | "developer" | "user";
  /** Ids of the format families that this model is known to leak, likeliest first. */
  readonly formats: readonly string[];
  /** Id of the format family that the model was trained on: how tools and history are written for it in text mode. */
  readonly emulate: string;
  readonly reasoning: ReasoningCapability;
  /** Id of the chat template whose framing the model writes, where that is known: its turn marks are believed in the middle of a text. */
  readonly wire?: string | undefined;
  readonly stream: UpstreamStreaming;
  readonly onInvalid: OnInvalid;
  /** `off`: the model's text reaches the client untouched. */
  readonly parse: "on" | "off";
  /** What becomes of a call whose number has a fraction where the tool's schema says `integer`. */
  readonly fractions: "refuse" | "pass";
  /** True where the model's server turns control tokens that stand in the text of a message into tokens. */
  readonly tokenizesText?: boolean | undefined;
  /** Ids of request quirks to apply (a closed list in `models/`). */
  readonly quirks: readonly string[];
  /** Sampling defaults for text mode, used where the caller said nothing. */
  readonly sampling: Sampling;
  /** What it is told of its calls in text mode, line by line; `{call}` stands for the form of one. */
  readonly prompt?: readonly string[] | undefined;
  /** The same where its tools go up through the wire. */
  readonly nativePrompt?: readonly string[] | undefined;
  /** Milliseconds until its first word of a stream, where the gateway's own `timeouts.first_event_ms` does not do. */
  readonly firstEventMs?: number | undefined;
  /** Tokens of prompt and answer together. */
  readonly contextTokens?: number | undefined;
  readonly prices?: Prices | undefined;
  readonly source: { readonly [field: string]: CapabilitySource };
}

/** What a million tokens cost, in the operator's own currency. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Of the tokens of a prompt that the upstream had cached; absent: they cost what the others cost. */
  readonly cachedInput?: number | undefined;
}

/** Tokens of prompt and answer together; `assumed`: neither a row nor the server says how many. */
export interface ContextWindow {
  readonly tokens: number;
  readonly source: CapabilitySource | "server" | "assumed";
}

const ASSUMED: ContextWindow = { tokens: 100_000, source: "assumed" };

/** The row's word goes before the server's: its operator may want less than there is. */
export function resolveContextWindow(
  { contextTokens, source }: Pick<ModelCapabilities, "contextTokens" | "source">,
  said: number | undefined,
): ContextWindow {
  if (contextTokens !== undefined) return { tokens: contextTokens, source: source.contextTokens ?? "default" };
  return said === undefined ? ASSUMED : { tokens: said, source: "server" };
}

/** A capability row as configuration writes it: every field but the pattern may be left to lower authority. */
export interface ModelProfile {
  /** Names that the row is for, lower case, `*` a wildcard; the longest matching pattern wins. */
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
  /** Why the row says what it says: a source or an observation. */
  readonly why: string;
}

/** Something that an upstream model refuses, remembered across requests. */
export interface ObservedCapability {
  /** What is refused: a name of the closed list in `models/`. */
  readonly refused: string;
  /** The refusal in the upstream's words. */
  readonly reason: string;
  /** Epoch milliseconds at which it was seen. */
  readonly at: number;
  /** True where the server said it of itself when it was asked, before anything was refused. */
  readonly probe?: boolean | undefined;
}
