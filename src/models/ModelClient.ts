// The port through which the house asks a model. Knows neither a wire nor a vendor.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { ModelEvent } from "../core/events.ts";
import type { JsonObject, Message, ToolChoice, ToolSpec } from "../core/messages.ts";
import type { OutputFormat, Sampling } from "../core/requests.ts";

export interface ModelRequest {
  /** The id of the request or run that asks. */
  readonly run: string;
  readonly model: string;
  readonly messages: readonly Message[];
  /** Empty: the upstream gets no field that concerns tools. */
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls?: boolean | undefined;
  readonly sampling: Sampling;
  readonly output: OutputFormat;
  /** Fields of the wire that Postel does not model; they never override those it does. */
  readonly passthrough: JsonObject;
  readonly capabilities: ModelCapabilities;
}

export interface ModelClient {
  /**
   * Opens one model call. Never throws: the events end in exactly one `end` or `failed`. Leaving the loop closes the
   * connection. A failure that means "this upstream refuses the tools field" is `upstream_refused` with
   * `details.toolsRefused === true`.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
