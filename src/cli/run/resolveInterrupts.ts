// Resolves the interrupts of a run: by advance approval, by the user, or by refusal. Does not resume the run.

import { escapeArguments } from "../../core/json/escapeInvisible.ts";
import { type Caller, LOCAL_CALLER } from "../../core/requests.ts";
import type { Decision, GivenDecision, InterruptRecord } from "../../core/runs/interrupts.ts";
import { decideAll } from "../prompts/decideAll.ts";
import type { Prompter } from "../prompts/Prompter.ts";

export interface Deciding {
  /** True if calls that only a policy holds back are approved in advance, and a run must not wait without a user. */
  readonly yes: boolean;
  /** Absent if no user is present. */
  readonly person: Prompter | undefined;
  /** Receives one line for each decision that was made without asking. */
  readonly say: (line: string) => void;
}

/** A decision and its author. */
export interface DecisionBy extends GivenDecision {
  readonly decidedBy: Caller;
}

/** Decisions for all interrupts; undefined if the run continues to wait for all of them. */
export async function decideOpen(
  open: readonly InterruptRecord[],
  { yes, person, say }: Deciding,
): Promise<readonly DecisionBy[] | undefined> {
  if (!yes && !person) return undefined;
  const agreed = open.filter((interrupt) => yes && mayRunUnseen(interrupt));
  const others = open.filter((interrupt) => !agreed.includes(interrupt));
  const decisions = person && (await decideAll(others, person));
  if (person && !decisions) return undefined;
  for (const interrupt of agreed) say(`approved by --yes: ${describeInterrupt(interrupt)}`);
  if (!person)
    for (const interrupt of others)
      say(`refused, since nobody is there and --yes does not cover it: ${describeInterrupt(interrupt)}`);
  const answered = decisions?.map((one) => ({ ...one, decidedBy: LOCAL_CALLER })) ?? others.map(createRejection);
  return [...agreed.map(approved), ...answered];
}

/**
 * Returns true if only a policy holds the call back. An advance approval never covers a call that is risky, may have run
 * already, has an unaccepted definition, or follows untrusted content. Interrupts of versions without agent names lack these
 * marks, so they are not covered either.
 */
function mayRunUnseen({ type, plan, agent }: InterruptRecord): boolean {
  if (type !== "approval" || !plan || agent === undefined) return false;
  return plan.danger === undefined && plan.definition === undefined && !plan.untrusted;
}

/** The question, with the call as it would run and the reason for the approval. */
export function describeInterrupt(interrupt: InterruptRecord): string {
  const { question, plan } = interrupt;
  if (!plan) return question;
  const reason = whyNotUnseen(interrupt);
  return `${question} ${plan.tool} ${escapeArguments(plan)}${reason === undefined ? "" : ` (${reason})`}`;
}

function whyNotUnseen({ plan, reason }: InterruptRecord): string | undefined {
  return plan?.danger ?? (plan?.untrusted ? reason : undefined);
}

/** Author of an advance approval: no key has such a name. */
const BEFOREHAND: Caller = { ...LOCAL_CALLER, name: `${LOCAL_CALLER.name} --yes` };

function approved({ id, plan }: InterruptRecord): DecisionBy {
  return { id, decidedBy: BEFOREHAND, decision: { type: "approve", plan: plan?.hash ?? "" } };
}

function createRejection(interrupt: InterruptRecord): DecisionBy {
  const { id, plan } = interrupt;
  const decision: Decision = plan
    ? { type: "reject", plan: plan.hash, reason: describeRejection(whyNotUnseen(interrupt)), dryRun: true }
    : { type: "cancel" };
  return { id, decidedBy: BEFOREHAND, decision };
}

/** Reason of a refusal, for the model. */
function describeRejection(reason: string | undefined): string {
  return `nobody is there to look at it, and it may not run unseen${reason === undefined ? "." : `: ${reason}`}`;
}
