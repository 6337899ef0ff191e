// Starts the stand-in server of one wire and one kind, for the cells of the contract's table.
import { startAnthropic } from "./AnthropicBackend.ts";
import { startAzure, startChat } from "./ChatServer.ts";
import type { Kind, Wire } from "./cells.ts";
import { startGemini } from "./GeminiBackend.ts";

export interface Backend {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly apiVersion?: string;
  /** The requests that were taken for a model, as text, in their order. */
  bodies(model: string): readonly string[];
  close(): Promise<void>;
}

/**
 * The words in which a body for this model is refused; undefined: it is answered.
 * @param strange how the vendor refuses a field that it does not know by this name.
 */
export type Judge = (model: string, body: string, strange: (field: string) => string) => string | undefined;

const STARTS: Readonly<Record<Wire, (kind: Kind, judge: Judge) => Promise<Backend>>> = {
  openai: startChat,
  azure: startAzure,
  anthropic: startAnthropic,
  gemini: startGemini,
};

export function startBackend(wire: Wire, kind: Kind, judge: Judge): Promise<Backend> {
  return STARTS[wire](kind, judge);
}
