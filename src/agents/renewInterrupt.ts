// The plan of an interrupt as it is under the configuration of this moment. Pure; asks nobody and stores nothing.

import { exactObjectOf } from "../core/exactArguments.ts";
import type { Interrupt, Plan } from "../core/interrupts.ts";
import type { ToolCall } from "../core/messages.ts";
import type { RunState } from "../core/run.ts";
import type { ShownDefinition } from "../core/toolDefinition.ts";
import { callDanger } from "../tools/danger/findDanger.ts";
import type { Tool } from "../tools/Tool.ts";
import { interruptOf } from "./interruptOf.ts";
import { type Need, questionFor } from "./judgeCall.ts";

/** The tool that a waiting call would run now. */
export interface CurrentTool {
  readonly tool: Tool;
  /** What its server says of it, where nobody has agreed to that. */
  readonly definition?: ShownDefinition | undefined;
}

/** The interrupt with the plan that would run now: its id and its times stay. */
export function renewInterrupt(
  state: Pick<RunState, "id" | "agent" | "request">,
  interrupt: Interrupt & { readonly plan: Plan },
  current: CurrentTool,
): Interrupt {
  const { call, reason } = interrupt;
  return interruptOf(state, { call, need: renewedNeed(interrupt, current, reason), tool: current.tool }, interrupt);
}

/** What has to be asked about a waiting call now. @param reason for the approver: why. */
export function renewedNeed(
  { type, call, plan }: Interrupt & { readonly plan: Plan },
  { tool, definition }: CurrentTool,
  reason: string | undefined,
): Need {
  const runs = withArguments(call, plan.arguments);
  const args = exactObjectOf(runs.arguments);
  const danger = args && callDanger(tool, args)?.reason;
  const { untrusted, edited, rejectedBefore } = plan;
  return {
    type,
    question: questionFor(type, runs, tool),
    reason,
    plan: { call: runs, danger, definition, untrusted, edited, rejectedBefore },
    onReject: tool.onReject ?? (danger === undefined ? undefined : "stop"),
  };
}

/** The call with arguments that were checked, which it may run with. */
export function withArguments({ unchecked: _, ...call }: ToolCall, args: string): ToolCall {
  return { ...call, arguments: args };
}
