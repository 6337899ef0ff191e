// The `read_result` tool, with which a model reads the rest of a truncated result of its own run.

import type { JsonObject } from "../../core/messages.ts";
import type { ExecutedCall } from "../../core/runs/RunState.ts";
import { READ_RESULT } from "../../core/runs/resultLimits.ts";
import { KeptText } from "../../tools/execution/ResultTruncator.ts";
import type { Tool } from "../../tools/Tool.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import type { RunStateRef } from "../run/RunStateRef.ts";

/** Returns the services with `read_result` among the run's tools; `withReading` decides if it is offered. */
export function addResultReader<Services extends { readonly registry: RunTools }>(
  services: Services,
  stateRef: Pick<RunStateRef, "state">,
): Services {
  // A chat completion has no gateway tools.
  if (stateRef.state.gatewayTools.length === 0) return services;
  return { ...services, registry: addRunTools(services.registry, stateRef) };
}

function addRunTools(tools: RunTools, stateRef: Pick<RunStateRef, "state">): RunTools {
  const reading: Tool = {
    spec: READING,
    idempotent: true,
    execute: async (args) => readSlice(stateRef.state.executed, args),
  };
  return {
    get: (name) => (name === READ_RESULT ? reading : tools.get(name)),
    select(names) {
      if (!names.includes(READ_RESULT)) return tools.select(names);
      return [...tools.select(names.filter((name) => name !== READ_RESULT)), reading];
    },
  };
}

/** The names of the gateway's tools, plus `read_result` once there is a truncated result. */
export function withReading(names: readonly string[], executed: readonly ExecutedCall[]): readonly string[] {
  if (names.includes(READ_RESULT) || !executed.some(({ result }) => result.whole !== undefined)) return names;
  return [...names, READ_RESULT];
}

/** Number of characters of truncated results that the calls store. */
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

function readSlice(executed: readonly ExecutedCall[], { call_id: id, offset }: JsonObject): KeptText {
  const storedCalls = executed.filter(({ result }) => result.whole !== undefined);
  const wholeText = storedCalls.findLast(({ call }) => call.id === id)?.result.whole;
  if (typeof id !== "string" || wholeText === undefined) {
    const ids = storedCalls.map(({ call }) => call.id).join(", ");
    throw new Error(`call_id must be that of a truncated result of this run: ${ids}.`);
  }
  if (typeof offset !== "number" || offset >= wholeText.length)
    throw new Error(`offset must be less than ${wholeText.length}, which is where the result ends.`);
  return new KeptText(id, offset, wholeText.slice(offset));
}
