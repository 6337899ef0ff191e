// What becomes of what a run waits for: agreed to beforehand, asked of whoever is there, or refused. Takes no run further.

import { escapeArguments } from "../../core/json/escapeInvisible.ts";
import { type Caller, LOCAL_CALLER } from "../../core/requests.ts";
import type { Decision, GivenDecision, InterruptRecord } from "../../core/runs/interrupts.ts";
import { decideAll } from "../prompts/decideAll.ts";
import type { Prompter } from "../prompts/Prompter.ts";

export interface Deciding {
  /** True where calls that only a rule holds were agreed to beforehand, and where nothing is to wait if nobody is there. */
  readonly yes: boolean;
  /** Absent where nobody is there. */
  readonly person: Prompter | undefined;
  /** Told in a line what was decided unasked. */
  readonly say: (line: string) => void;
}

/** A word, and whose it is. */
export interface DecisionBy extends GivenDecision {
  readonly by: Caller;
}

/** What is said of each; undefined where the run waits on for all of them. */
export async function decideOpen(
  open: readonly InterruptRecord[],
  { yes, person, say }: Deciding,
): Promise<readonly DecisionBy[] | undefined> {
  if (!yes && !person) return undefined;
  const agreed = open.filter((interrupt) => yes && mayRunUnseen(interrupt));
  const others = open.filter((interrupt) => !agreed.includes(interrupt));
  const given = person && (await decideAll(others, person));
  if (person && !given) return undefined;
  for (const interrupt of agreed) say(`approved by --yes: ${describeInterrupt(interrupt)}`);
  if (!person)
    for (const interrupt of others)
      say(`refused, since nobody is there and --yes does not cover it: ${describeInterrupt(interrupt)}`);
  const said = given?.map((one) => ({ ...one, by: LOCAL_CALLER })) ?? others.map(refused);
  return [...agreed.map(approved), ...said];
}

/**
 * A call that only a policy holds. Nothing that destroys, may have run already, is not what somebody agreed to, or may be a stranger's
 * wish runs by a word that was given before it was known. What was asked before agents were named had no such mark either.
 */
function mayRunUnseen({ type, plan, agent }: InterruptRecord): boolean {
  if (type !== "approval" || !plan || agent === undefined) return false;
  return plan.danger === undefined && plan.definition === undefined && !plan.untrusted;
}

/** What is asked, with the call as it would run, and why a person must look at it. */
export function describeInterrupt(interrupt: InterruptRecord): string {
  const { question, plan } = interrupt;
  if (!plan) return question;
  const why = whyNotUnseen(interrupt);
  return `${question} ${plan.tool} ${escapeArguments(plan)}${why === undefined ? "" : ` (${why})`}`;
}

function whyNotUnseen({ plan, reason }: InterruptRecord): string | undefined {
  return plan?.danger ?? (plan?.untrusted ? reason : undefined);
}

/** Whose word it is where nobody was asked: no key has such a name. */
const BEFOREHAND: Caller = { ...LOCAL_CALLER, name: `${LOCAL_CALLER.name} --yes` };

function approved({ id, plan }: InterruptRecord): DecisionBy {
  return { id, by: BEFOREHAND, decision: { type: "approve", plan: plan?.hash ?? "" } };
}

function refused(interrupt: InterruptRecord): DecisionBy {
  const { id, plan } = interrupt;
  const decision: Decision = plan
    ? { type: "reject", plan: plan.hash, reason: whyRefused(whyNotUnseen(interrupt)), dryRun: true }
    : { type: "cancel" };
  return { id, by: BEFOREHAND, decision };
}

/** For the model. */
function whyRefused(why: string | undefined): string {
  return `nobody is there to look at it, and it may not run unseen${why === undefined ? "." : `: ${why}`}`;
}
