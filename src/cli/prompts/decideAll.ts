// Asks the user about all open interrupts of a run, one after the other. Does not resume the run.
import type { Decision, GivenDecision, InterruptRecord } from "../../core/runs/interrupts.ts";
import { decidePlan } from "./approveCall.ts";
import { askQuestion } from "./askQuestion.ts";
import { fillForm } from "./fillForm.ts";
import type { Prompter } from "./Prompter.ts";

/**
 * Decisions for all interrupts. Undefined if the user leaves at any of them: earlier answers are dropped, and the run
 * continues to wait for all.
 */
export async function decideAll(
  open: readonly InterruptRecord[],
  person: Prompter,
): Promise<readonly GivenDecision[] | undefined> {
  const decisions: GivenDecision[] = [];
  for (const [at, interrupt] of open.entries()) {
    const decision = await decide(interrupt, open.length > 1 ? ` (${at + 1} of ${open.length})` : "", person);
    if (!decision) return undefined;
    decisions.push({ id: interrupt.id, decision });
  }
  return decisions;
}

/** @param location position among several. */
async function decide(interrupt: InterruptRecord, location: string, person: Prompter): Promise<Decision | undefined> {
  if (interrupt.plan) return await decidePlan({ interrupt, plan: interrupt.plan, location }, person);
  if (interrupt.form) return await fillForm({ interrupt, form: interrupt.form, location }, person);
  return await askQuestion(interrupt, location, person);
}
