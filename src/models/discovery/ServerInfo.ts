// Information that a server gives about its models outside the chat API. Loaded on first use.
import type { Clock } from "../../core/ports.ts";
import type { ObservedCapabilityWriter } from "../capabilities/ObservedCapabilityWriter.ts";
import { ContextWindows, type ContextWindowsOptions } from "./ContextWindows.ts";
import { ServerInfoClient, type ServerInfoClientOptions } from "./ServerInfoClient.ts";
import { ToolSupport } from "./ToolSupport.ts";

export interface ServerInfoOptions extends ServerInfoClientOptions, Pick<ContextWindowsOptions, "listed"> {
  readonly evidence: Pick<ObservedCapabilityWriter, "write">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

export class ServerInfo {
  /** Absent if servers of the wire have no other endpoints. */
  readonly support: ToolSupport | undefined;
  readonly windows: ContextWindows;

  constructor({
    listed,
    evidence,
    answersBeside,
    ...options
  }: ServerInfoOptions & { readonly answersBeside: boolean }) {
    const { clock } = options;
    const questions = answersBeside ? new ServerInfoClient(options) : undefined;
    this.support = questions && new ToolSupport({ questions, evidence, clock });
    this.windows = new ContextWindows({ questions, listed, clock });
  }
}
