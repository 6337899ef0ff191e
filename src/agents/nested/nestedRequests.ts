// Builds the request of a nested run, and finds the nested run that waits for a decision. Pure.
import type { AgentConfig } from "../../core/config/configuration.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { AgentTask } from "../../tools/Tool.ts";
import type { TaskRequest } from "../planning/buildTaskMessage.ts";

/** The request uses the agent's own model, or that of the outer run if it names none. It contains no client tools. */
export function createNestedRequest(
  { interactive, request: { id, caller, model, pinnedToolMode } }: RunState,
  { agent, workflow, action, input, task, context }: AgentTask,
  config: Pick<AgentConfig, "model"> | undefined,
): TaskRequest & { readonly interactive: boolean } {
  const asksOwn = config?.model !== undefined && config.model !== model;
  return {
    ...(workflow === undefined ? { agent } : { workflow }),
    ...{ action, input, task, context, interactive },
    chat: {
      ...{ id, caller, model: asksOwn ? agent : model },
      messages: [],
      tools: [],
      toolChoice: { type: "auto" },
      sampling: {},
      output: { type: "text" },
      // The tool mode of the outer run's model does not apply to another model.
      ...(!asksOwn && pinnedToolMode && { pinnedToolMode }),
      passthrough: {},
    },
  };
}

/** The path of a call: the ids of the enclosing calls, outermost first, then its own. */
export function joinCallId(outer: string | undefined, call: string): string {
  return outer === undefined ? call : `${outer}/${call}`;
}

/** The id of the outermost call in a path; see `joinCallId`. */
export function getOutermostCall(path: string): string {
  const end = path.indexOf("/");
  return end < 0 ? path : path.slice(0, end);
}

/** The run, this one or a nested one, that waits for an answer to the interrupt with this id. */
export function findAskingRun(state: RunState, interrupt: string): RunState | undefined {
  const { waiting = [], nested = [] } = state.open ?? {};
  if (waiting.some((one) => one.interrupt.id === interrupt)) return state;
  for (const { state: within } of nested) {
    const asking = findAskingRun(within, interrupt);
    if (asking) return asking;
  }
  return undefined;
}

/** The run with its current interrupts, because the plan of an interrupt may have been renewed since the run was stored. */
export function withInterrupts(state: RunState, call: readonly Interrupt[]): RunState {
  const { open } = state;
  if (!open || call.length === 0) return state;
  const waiting = open.waiting.map((one) => {
    const now = call.find(({ id }) => id === one.interrupt.id);
    if (!now) return one;
    const { question, reason, plan, onReject } = now;
    return { ...one, interrupt: { ...one.interrupt, question, reason, plan, onReject } };
  });
  const nested = open.nested?.map((one) => ({ ...one, state: withInterrupts(one.state, call) }));
  return { ...state, open: { ...open, waiting, ...(nested && { nested }) } };
}
