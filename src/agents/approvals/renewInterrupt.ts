// Rebuilds the plan of an interrupt under the current configuration. Pure.

import { parseExactObject } from "../../core/json/exactArguments.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { Interrupt, Plan } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { ShownDefinition } from "../../core/tools/toolDefinition.ts";
import { callDanger } from "../../tools/risk/assessCall.ts";
import type { Tool } from "../../tools/Tool.ts";
import { type ApprovalNeed, buildQuestion } from "./approvalNeed.ts";
import { createInterrupt } from "./createInterrupt.ts";

/** The tool that a waiting call would run now. */
export interface CurrentTool {
  readonly tool: Tool;
  /** The definition as its server states it, if no user of the owner has agreed to it. */
  readonly definition?: ShownDefinition | undefined;
}

/** The interrupt with the plan that would run now. Its id and times stay. */
export function renewInterrupt(
  state: Pick<RunState, "id" | "agent" | "request">,
  interrupt: Interrupt & { readonly plan: Plan },
  current: CurrentTool,
): Interrupt {
  const { call, reason } = interrupt;
  return createInterrupt(state, { call, need: renewNeed(interrupt, current, reason), tool: current.tool }, interrupt);
}

/** The approval need of a waiting call under the current configuration. @param reason reason shown to the approver. */
export function renewNeed(
  { type, call, plan }: Interrupt & { readonly plan: Plan },
  { tool, definition }: CurrentTool,
  reason: string | undefined,
): ApprovalNeed {
  const runs = replaceArguments(call, plan.arguments);
  const args = parseExactObject(runs.arguments);
  const danger = args && callDanger(tool, args)?.reason;
  const { untrusted, edited, rejectedBefore } = plan;
  return {
    type,
    question: buildQuestion(type, runs, tool),
    reason,
    plan: { call: runs, danger, definition, untrusted, edited, rejectedBefore },
    onReject: tool.onReject ?? (danger === undefined ? undefined : "stop"),
  };
}

/** The call with checked arguments, with which it may run. */
export function replaceArguments({ unchecked: _, ...call }: ToolCall, args: string): ToolCall {
  return { ...call, arguments: args };
}
