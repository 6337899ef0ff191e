// The tool by which a model reads on in a result of its own run that was cut. Knows no other run, and runs nothing.

import type { JsonObject } from "../../core/messages.ts";
import type { ExecutedCall } from "../../core/runs/RunState.ts";
import { READ_RESULT } from "../../core/runs/resultLimits.ts";
import { KeptText } from "../../tools/execution/ResultTruncator.ts";
import type { Tool } from "../../tools/Tool.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import type { RunStateRef } from "../run/RunStateRef.ts";

/** What a run has of its house, with `read_result` among its tools; it is offered once `withReading` says so. */
export function addResultReader<Services extends { readonly registry: RunTools }>(
  services: Services,
  stateRef: Pick<RunStateRef, "state">,
): Services {
  // A chat completion has no tool of the gateway's.
  if (stateRef.state.gatewayTools.length === 0) return services;
  return { ...services, registry: addRunTools(services.registry, stateRef) };
}

function addRunTools(tools: RunTools, stateRef: Pick<RunStateRef, "state">): RunTools {
  const reading: Tool = {
    spec: READING,
    idempotent: true,
    execute: async (args) => read(stateRef.state.executed, args),
  };
  return {
    get: (name) => (name === READ_RESULT ? reading : tools.get(name)),
    select(names) {
      if (!names.includes(READ_RESULT)) return tools.select(names);
      return [...tools.select(names.filter((name) => name !== READ_RESULT)), reading];
    },
  };
}

/** The names of the gateway's tools, with `read_result` once there is something to read on in. */
export function withReading(names: readonly string[], executed: readonly ExecutedCall[]): readonly string[] {
  if (names.includes(READ_RESULT) || !executed.some(({ result }) => result.whole !== undefined)) return names;
  return [...names, READ_RESULT];
}

/** Characters of results that were cut which the calls keep. */
export function countKeptChars(calls: readonly ExecutedCall[]): number {
  return calls.reduce((sum, { result }) => sum + (result.whole?.length ?? 0), 0);
}

export const READING: Tool["spec"] = {
  name: READ_RESULT,
  description: "Reads on in a result of an earlier tool call that was truncated.",
  parameters: {
    type: "object",
    properties: {
      call_id: { type: "string", description: "The call_id that the truncated result names." },
      offset: { type: "integer", minimum: 0, description: "The character from which to read on." },
    },
    required: ["call_id", "offset"],
    additionalProperties: false,
  },
};

function read(executed: readonly ExecutedCall[], { call_id: id, offset }: JsonObject): KeptText {
  const kept = executed.filter(({ result }) => result.whole !== undefined);
  const whole = kept.findLast(({ call }) => call.id === id)?.result.whole;
  if (typeof id !== "string" || whole === undefined) {
    const ids = kept.map(({ call }) => call.id).join(", ");
    throw new Error(`call_id must be that of a truncated result of this run: ${ids}.`);
  }
  if (typeof offset !== "number" || offset >= whole.length)
    throw new Error(`offset must be less than ${whole.length}, which is where the result ends.`);
  return new KeptText(id, offset, whole.slice(offset));
}
