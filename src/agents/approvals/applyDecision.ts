// Applies an approver's decision to the call that waited for it. Pure.

import { parseObject } from "../../core/json/jsonObjectText.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { Decision, FormAnswer, Interrupt, Plan } from "../../core/runs/interrupts.ts";
import type { RunState, ToolResult, WaitingCall } from "../../core/runs/RunState.ts";
import { callDanger } from "../../tools/risk/assessCall.ts";
import type { Tool } from "../../tools/Tool.ts";
import { fitAgain, fitAnswer } from "../calls/revalidateCall.ts";
import { type ApprovalNeed, createApprovalNeed } from "./approvalNeed.ts";
import { type CurrentTool, renewNeed, replaceArguments } from "./renewInterrupt.ts";
import { validateDecision } from "./validateDecision.ts";

export type Applied =
  /** `edited`: the approver wrote the arguments. `answer`: the call asked for this input and continues with it. */
  | { readonly type: "run"; readonly call: ToolCall; readonly edited: boolean; readonly answer?: FormAnswer }
  /** `ran`: the tool produced the result. `stops`: the run ends with it, as `rejected`. */
  | { readonly type: "settled"; readonly result: ToolResult; readonly ran: boolean; readonly stops: boolean }
  | { readonly type: "ask"; readonly need: ApprovalNeed };

/** Applies a decision. `decision` undefined: no decision came in time. If the decision is not valid here, the approver is asked again. */
export function applyDecision(
  state: Pick<RunState, "id" | "request">,
  { call, interrupt }: WaitingCall,
  decision: Decision | undefined,
  current: CurrentTool | undefined,
): Applied {
  const { plan } = interrupt;
  const tool = current?.tool;
  if (!decision)
    return plan
      ? createNotRunResult(interrupt, `${NOBODY}.`)
      : createResult(call, "Error: nobody answered in time.", true);
  if (plan && !tool && decision.type !== "reject")
    return createNotRunResult(interrupt, `there is no tool called ${call.name} any more.`);
  const fault = validateDecision(state, interrupt, decision, tool);
  if (fault) return { type: "ask", need: askAgain(interrupt, fault.message, current) };
  switch (decision.type) {
    case "approve":
      return plan ? approved(call, plan) : createResult(call, CANCELLED, false);
    case "edit":
      return edited(interrupt, JSON.stringify(decision.arguments), tool);
    case "reject":
      return createNotRunResult(interrupt, createRejectedResult(decision));
    case "answer":
      return validateAnswer(interrupt, decision.response);
    case "cancel":
      return interrupt.form
        ? { type: "run", call, edited: false, answer: { type: "declined" } }
        : createResult(call, CANCELLED, false);
    default:
      return decision satisfies never;
  }
}

function createRejectedResult({ reason = "", dryRun }: Extract<Decision, { readonly type: "reject" }>): string {
  const why = reason.trim();
  if (dryRun) return why === "" ? `${NOBODY}.` : why;
  return `a person said no${why === "" ? "." : `: ${why}`}`;
}

const NOBODY = "nobody decided about it in time";
const CANCELLED = "User cancelled";

function approved(call: ToolCall, { arguments: args, edited: byPerson }: Plan): Applied {
  return { type: "run", call: replaceArguments(call, args), edited: byPerson === true };
}

/** Edited arguments are a new plan. If that plan is risky, it needs an approval too. */
function edited({ call, plan, onReject }: Interrupt, args: string, tool: Tool | undefined): Applied {
  const planned = replaceArguments(call, args);
  const fit = tool && fitAgain(planned, tool);
  const runs = fit?.type === "fits" ? fit.call : planned;
  const originalArguments = parseObject(runs.arguments) ?? {};
  const danger = tool && callDanger(tool, originalArguments)?.reason;
  if (danger === undefined) return { type: "run", call: runs, edited: true };
  const { definition, untrusted } = plan ?? {};
  const planOptions = { danger, edited: true, definition, untrusted, onReject: onReject ?? "stop" } as const;
  return { type: "ask", need: createApprovalNeed(runs, tool, planOptions) };
}

/** @param reason the end of the sentence. */
function createNotRunResult({ type, call, onReject }: Interrupt, reason: string): Applied {
  const cause =
    type === "unknown-outcome"
      ? "the run was interrupted while this call ran, whether it had an effect is not known, and it was not run again"
      : "this call was not run";
  const result = {
    callId: call.id,
    name: call.name,
    content: `Error: ${cause}: ${reason}`,
    isError: true,
    isFromGateway: true,
  } as const;
  return { type: "settled", result, ran: false, stops: onReject === "stop" };
}

function createResult({ id, name }: ToolCall, content: string, isError: boolean): Applied {
  return {
    type: "settled",
    result: { callId: id, name, content, isError, isFromGateway: true },
    ran: true,
    stops: false,
  };
}

function validateAnswer({ call, options = [], form }: Interrupt, response: string): Applied {
  if (!form)
    return createResult(
      call,
      options.includes(response) ? `User selected: ${response}` : `User answered: ${response}`,
      false,
    );
  const fit = fitAnswer(call, response, form);
  const content = (fit.type === "fits" && parseObject(fit.call.arguments)) || {};
  return { type: "run", call, edited: false, answer: { type: "given", content } };
}

/** Asks the same again, for the tool as it is now. */
function askAgain(interrupt: Interrupt, reason: string, current: CurrentTool | undefined): ApprovalNeed {
  const { type, question, options, allowOther, form, plan, onReject } = interrupt;
  if (plan && current) return renewNeed({ ...interrupt, plan }, current, reason);
  return { type, question, options, allowOther, form, reason, onReject };
}
