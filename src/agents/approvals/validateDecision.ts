// Validates an approver's decision about an interrupt before it is applied. Pure.
import { createFailure, type Failure } from "../../core/failures.ts";
import type { Decision, Interrupt, Plan } from "../../core/runs/interrupts.ts";
import type { RunState } from "../../core/runs/RunState.ts";
import type { Tool } from "../../tools/Tool.ts";
import { fitAgain, fitAnswer } from "../calls/revalidateCall.ts";
import { planHash } from "./planHash.ts";

/**
 * Returns `invalid_request` for a decision that does not match the interrupt, a blank answer, an answer outside the
 * options, and arguments that break the tool's schema. Returns `plan_mismatch` if the decision names another plan than
 * the one that would run. Returns undefined if the decision is valid.
 * @param tool the called tool as it is now; absent if it no longer exists.
 */
export function validateDecision(
  state: Pick<RunState, "id" | "request">,
  interrupt: Interrupt,
  decision: Decision,
  tool: Tool | undefined,
): Failure | undefined {
  const { plan } = interrupt;
  switch (decision.type) {
    case "approve":
    case "reject":
    case "edit":
      return plan
        ? planFault(state, { interrupt, plan, decision, tool })
        : createMismatchFailure(interrupt, "an answer");
    case "answer":
      return plan ? createMismatchFailure(interrupt, DECISIONS) : answerFault(interrupt, decision.response);
    case "cancel":
      return plan ? createMismatchFailure(interrupt, DECISIONS) : undefined;
    default:
      return decision satisfies never;
  }
}

const DECISIONS = "one of approve, edit and reject";

interface Decided {
  readonly interrupt: Interrupt;
  readonly plan: Plan;
  readonly decision: Extract<Decision, { readonly plan: string }>;
  readonly tool: Tool | undefined;
}

function planFault(
  state: Pick<RunState, "id" | "request">,
  { interrupt, plan, decision, tool }: Decided,
): Failure | undefined {
  const { call } = interrupt;
  if (decision.plan !== plan.hash)
    return mismatch("The decision names another plan than the one that waits; read the interrupt again.");
  // A call may be rejected even if its tool has changed or is gone.
  if (decision.type === "reject") return undefined;
  if (!tool)
    return mismatch(
      `There is no tool ${call.name} now, so this cannot run. Reject it, or approve it once the tool is there again.`,
    );
  if (planHash(state, { ...call, arguments: plan.arguments }, tool) !== plan.hash)
    return mismatch(
      `The call of ${call.name} would do something else now than when this was asked, so it did not run.`,
    );
  const args = decision.type === "edit" ? JSON.stringify(decision.arguments) : plan.arguments;
  const fit = fitAgain({ ...call, arguments: args }, tool);
  return fit.type === "misfit" ? invalid(fit.reason, "arguments") : undefined;
}

function answerFault({ call, options, allowOther, form }: Interrupt, response: string): Failure | undefined {
  if (response.trim() === "") return invalid("The answer is blank; write one, or cancel.", "response");
  if (form) {
    const fit = fitAnswer(call, response, form);
    return fit.type === "misfit"
      ? invalid(`The answer is none that \`schema\` allows. ${fit.reason}`, "response")
      : undefined;
  }
  if (!options || allowOther || options.includes(response)) return undefined;
  return invalid(
    `The answer is none of the options: ${options.map((one) => JSON.stringify(one)).join(", ")}.`,
    "response",
  );
}

function createMismatchFailure({ id, type }: Interrupt, expectation: string): Failure {
  return invalid(`The interrupt ${id} is of the type ${type}: it wants ${expectation}.`, "decision");
}

function mismatch(message: string): Failure {
  return createFailure("plan_mismatch", message, { param: "plan" });
}

function invalid(message: string, param: string): Failure {
  return createFailure("invalid_request", message, { param });
}
