// What a run asks of an agent that does something within it, and which of the runs within it asks a person. Pure; plans nothing.
import type { AgentConfig } from "../../core/config/configuration.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { AgentTask } from "../../tools/Tool.ts";
import type { TaskRequest } from "../planning/buildTaskMessage.ts";

/** Asks the agent's own model, or where it names none that of the run around it. The client's tools are not the agent's. */
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
      // How the run's own model is asked says nothing of another.
      ...(!asksOwn && pinnedToolMode && { pinnedToolMode }),
      passthrough: {},
    },
  };
}

/** The id of a call by those of the calls around it, the outermost first. */
export function joinCallId(outer: string | undefined, call: string): string {
  return outer === undefined ? call : `${outer}/${call}`;
}

/** The id of the call of a run that this path leads through first; see `joinCallId`. */
export function getOutermostCall(path: string): string {
  const end = path.indexOf("/");
  return end < 0 ? path : path.slice(0, end);
}

/** The run, of this one and of all within it, that waits for an answer to the interrupt of this id. */
export function findAskingRun(state: RunState, interrupt: string): RunState | undefined {
  const { waiting = [], nested = [] } = state.open ?? {};
  if (waiting.some((one) => one.interrupt.id === interrupt)) return state;
  for (const { state: within } of nested) {
    const asking = findAskingRun(within, interrupt);
    if (asking) return asking;
  }
  return undefined;
}

/** The run with what it asks as it is asked now: since it was saved the plan of an interrupt may have been renewed. */
export function withInterrupts(state: RunState, asked: readonly Interrupt[]): RunState {
  const { open } = state;
  if (!open || asked.length === 0) return state;
  const waiting = open.waiting.map((one) => {
    const now = asked.find(({ id }) => id === one.interrupt.id);
    if (!now) return one;
    const { question, reason, plan, onReject } = now;
    return { ...one, interrupt: { ...one.interrupt, question, reason, plan, onReject } };
  });
  const nested = open.nested?.map((one) => ({ ...one, state: withInterrupts(one.state, asked) }));
  return { ...state, open: { ...open, waiting, ...(nested && { nested }) } };
}
