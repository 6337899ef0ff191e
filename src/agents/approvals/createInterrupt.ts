// Creates the interrupt that waits for an approver, and the call that shows it to the client.

import { escapeArguments, escapeMisleading } from "../../core/json/escapeInvisible.ts";
import type { ToolCall } from "../../core/messages.ts";
import { APPROVE_TOOL_CALL, ASK_USER, type Interrupt } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { Tool } from "../../tools/Tool.ts";
import type { ApprovalNeed } from "./approvalNeed.ts";
import { planHash } from "./planHash.ts";

export interface Asking {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** @param tool the tool that would run; absent if none would, or if it no longer exists. */
export function createInterrupt(
  state: Pick<RunState, "id" | "agent" | "request">,
  { call, need, tool }: { readonly call: ToolCall; readonly need: ApprovalNeed; readonly tool: Tool | undefined },
  { id, createdAt, expiresAt }: Asking,
): Interrupt {
  const { plan, ...question } = need;
  const runs = plan && tool && { ...plan, hash: planHash(state, plan.call, tool) };
  return {
    id,
    run: state.id,
    agent: state.agent,
    call,
    ...question,
    ...(runs && {
      question: escapeMisleading(question.question),
      plan: {
        tool: call.name,
        arguments: runs.call.arguments,
        hash: runs.hash,
        danger: runs.danger && escapeMisleading(runs.danger),
        definition: runs.definition,
        untrusted: runs.untrusted,
        edited: runs.edited,
        rejectedBefore: runs.rejectedBefore,
      },
    }),
    createdAt,
    expiresAt,
  };
}

/** The call that shows an interrupt to the client. It has the id of the interrupt. */
export function toInterruptCall({ id, question, options, form, reason, plan }: Interrupt): ToolCall {
  const approvalView = plan
    ? {
        tool: plan.tool,
        arguments: escapeArguments(plan),
        plan: plan.hash,
        question,
        reason,
        danger: plan.danger,
        definition: plan.definition,
        untrusted: plan.untrusted,
        rejected_before: plan.rejectedBefore,
      }
    : { question, options, schema: form, reason };
  return {
    id,
    name: plan ? APPROVE_TOOL_CALL : ASK_USER,
    arguments: JSON.stringify(approvalView),
    origin: "native",
    repairs: [],
    raw: "",
  };
}
