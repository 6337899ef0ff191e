// Everything that a run waits for, put to a person one after the other. Takes no run further.
import type { Decision, GivenDecision, InterruptRecord } from "../../core/runs/interrupts.ts";
import { decidePlan } from "./approveCall.ts";
import { askQuestion } from "./askQuestion.ts";
import { fillForm } from "./fillForm.ts";
import type { Prompter } from "./Prompter.ts";

/**
 * What the person says of each. Undefined where the person leaves at any of them: nothing is decided then, those that were answered
 * before included, and the run waits on for all of them.
 */
export async function decideAll(
  open: readonly InterruptRecord[],
  person: Prompter,
): Promise<readonly GivenDecision[] | undefined> {
  const given: GivenDecision[] = [];
  for (const [at, interrupt] of open.entries()) {
    const decision = await decide(interrupt, open.length > 1 ? ` (${at + 1} of ${open.length})` : "", person);
    if (!decision) return undefined;
    given.push({ id: interrupt.id, decision });
  }
  return given;
}

/** @param place which of several it is. */
async function decide(interrupt: InterruptRecord, place: string, person: Prompter): Promise<Decision | undefined> {
  if (interrupt.plan) return await decidePlan({ interrupt, plan: interrupt.plan, place }, person);
  if (interrupt.form) return await fillForm({ interrupt, form: interrupt.form, place }, person);
  return await askQuestion(interrupt, place, person);
}
