// Information that a server gives about its models outside the chat API.
import type { Clock } from "../../core/ports.ts";
import type { ObservedCapabilityWriter } from "../capabilities/ObservedCapabilityWriter.ts";
import type { WireServer } from "../wires/UpstreamWire.ts";
import { ContextWindows, type ContextWindowsOptions, type ModelWindow } from "./ContextWindows.ts";
import { ServerInfoClient, type ServerInfoClientOptions } from "./ServerInfoClient.ts";
import { ToolSupport } from "./ToolSupport.ts";

export interface ServerInfoOptions extends ServerInfoClientOptions, Pick<ContextWindowsOptions, "listed"> {
  readonly evidence: Pick<ObservedCapabilityWriter, "write">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

export class ServerInfo {
  /** See `ToolSupport.known`. Absent if servers of the wire have no other endpoints. */
  readonly toolSupport: ((model: string, signal: AbortSignal) => Promise<void> | undefined) | undefined;
  readonly #windows: ContextWindows;

  constructor({ listed, evidence, ...options }: ServerInfoOptions) {
    const { clock, upstream } = options;
    const questions = hasServerInfo(upstream) ? new ServerInfoClient(options) : undefined;
    const support = questions && new ToolSupport({ questions, evidence, clock });
    this.toolSupport = support && ((model, signal) => support.known(model, signal));
    this.#windows = new ContextWindows({ questions, listed, clock });
  }

  window(model: string): ModelWindow {
    return this.#windows.of(model);
  }
}

/**
 * Returns true if the server may answer requests outside its wire. Local model servers speak the OpenAI and the Anthropic wire and
 * answer such requests on both. Anthropic's own server is not asked.
 */
function hasServerInfo({ wire, baseUrl }: Pick<WireServer, "wire" | "baseUrl">): boolean {
  if (wire === "openai") return true;
  return wire === "anthropic" && !/^https:\/\/([^/]*\.)?anthropic\.com(?=[:/]|$)/i.test(baseUrl);
}
