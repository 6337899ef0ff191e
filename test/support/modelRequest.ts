// A model request with everything at rest, for tests that change one thing.

import type { ModelEvent } from "../../src/core/events/events.ts";
import type { ToolSpec } from "../../src/core/messages.ts";
import type { ModelCapabilities } from "../../src/core/models/capabilities.ts";
import type { ModelClient, ModelRequest } from "../../src/models/ModelClient.ts";
import { pulled } from "./events.ts";

export const CAPABILITIES: ModelCapabilities = {
  row: "default",
  tools: "native",
  toolChoice: ["auto", "none", "required", "named"],
  jsonSchema: "native",
  systemRole: "system",
  formats: [],
  emulate: "hermes-json",
  reasoning: { opened: "never", interleaved: false },
  stream: "always",
  onInvalid: "error",
  parse: "on",
  fractions: "refuse",
  quirks: [],
  sampling: {},
  source: {},
};

export const TIDE_TOOL: ToolSpec = {
  name: "lookup_tide",
  description: "Says the tide.",
  parameters: { type: "object", properties: { port: { type: "string" } } },
};

export function modelRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    run: "run-1",
    model: "m-1",
    messages: [{ role: "user", content: "Hello" }],
    tools: [],
    toolChoice: { type: "auto" },
    sampling: {},
    output: { type: "text" },
    passthrough: {},
    capabilities: CAPABILITIES,
    ...changes,
  };
}

/** The events of one model call, one by one; whoever leaves the loop has had enough. */
export function streamOf(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  return pulled((take) => client.stream(request, signal, take));
}

/** All events of a stream. */
export async function drain(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export function textOfEvents(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}
