// Shows a call completely and asks the approver for a decision. Runs nothing.

import { isPlainJson, parseObject, stringifySorted } from "../../core/json/jsonObjectText.ts";
import type { Decision, InterruptRecord, Plan } from "../../core/runs/interrupts.ts";
import { formatJson } from "../output/prettyJson.ts";
import { formatPlan } from "./formatPlan.ts";
import type { Prompter } from "./Prompter.ts";

/** Characters that are shown at once. */
const AT_FIRST = 4_000;

export interface WaitingPlan {
  readonly interrupt: InterruptRecord;
  readonly plan: Plan;
  /** Position among several, such as ` (1 of 2)`. */
  readonly location: string;
}

type Way = "reject" | "whole" | "edit" | "approve";

/** Resolves with undefined if the approver leaves. Going back from a reason or an edit returns to the choice. */
export async function decidePlan(waiting: WaitingPlan, person: Prompter): Promise<Decision | undefined> {
  const { interrupt, plan, location } = waiting;
  const text = formatPlan(interrupt, plan);
  const title = `${interrupt.type === "unknown-outcome" ? "May have run" : "Would run"}${location}`;
  let isWhole = text.length <= AT_FIRST;
  person.show({ title, text: isWhole ? text : beginning(text) });
  if (plan.danger !== undefined) person.show({ title: "Dangerous", text: plan.danger, danger: true });
  for (;;) {
    const choices = listChoices(interrupt, isWhole);
    const chosen = await person.choose({
      message: "What shall become of it?",
      options: choices.map(([, label]) => label),
    });
    if (chosen === undefined) return undefined;
    const [choice] = choices[chosen] ?? [];
    if (choice === "whole") {
      isWhole = true;
      person.show({ title, text });
    } else {
      const decision = choice && (await promptDecision(choice, plan, person));
      if (decision) return decision;
    }
  }
}

function beginning(text: string): string {
  return `${text.slice(0, AT_FIRST).toWellFormed()}\n… ${(text.length - AT_FIRST).toLocaleString("en")} characters more`;
}

/**
 * The first option is safe against a key pressed too early: it runs nothing. A plan that was not shown completely cannot be
 * approved.
 */
function listChoices({ type, onReject }: InterruptRecord, isWhole: boolean): readonly (readonly [Way, string])[] {
  const showWholeChoice: readonly (readonly [Way, string])[] = isWhole ? [] : [["whole", "Show all of it"]];
  const after = onReject === "stop" ? "the run ends" : "the model is told";
  if (type === "unknown-outcome")
    return [
      ["reject", `Leave it: if it had no effect, it is not made up for; ${after}`],
      ...showWholeChoice,
      ...(isWhole ? [["approve", "Run it again: if it had its effect, it has it twice"] as const] : []),
    ];
  return [
    ["reject", `Reject: ${after}`],
    ...showWholeChoice,
    ["edit", "Edit the arguments"],
    ...(isWhole ? [["approve", "Approve: it runs as shown"] as const] : []),
  ];
}

/** Resolves with undefined if the approver goes back. */
async function promptDecision(
  choice: Exclude<Way, "whole">,
  plan: Plan,
  person: Prompter,
): Promise<Decision | undefined> {
  switch (choice) {
    case "reject":
      return await rejected(plan, person);
    case "edit":
      return await edited(plan, person);
    case "approve":
      return { type: "approve", plan: plan.hash };
    default:
      return choice satisfies never;
  }
}

async function rejected({ hash }: Plan, person: Prompter): Promise<Decision | undefined> {
  const reason = await person.write({ message: "Why not? (may stay empty)", optional: true });
  if (reason === undefined) return undefined;
  return { type: "reject", plan: hash, ...(reason !== "" && { reason }) };
}

async function edited(plan: Plan, person: Prompter): Promise<Decision | undefined> {
  let text = formatJson(plan.arguments);
  for (;;) {
    const input = await person.edit({ message: "The arguments as JSON.", text });
    if (input === undefined) return undefined;
    const fault = validateEdit(input, plan.arguments);
    if (fault === undefined) return { type: "edit", plan: plan.hash, arguments: parseObject(input) ?? {} };
    person.show({ title: "Not taken", text: fault });
    text = input;
  }
}

/** Reason why the edited text is not valid JSON arguments. The schema is checked later. */
function validateEdit(input: string, before: string): string | undefined {
  const value = isPlainJson(input) ? parseObject(input) : undefined;
  if (!value) return 'That is no JSON object, such as {"path": "notes.txt"}.';
  if (stringifySorted(value) === stringifySorted(parseObject(before)))
    return "Nothing is changed. Approve it as it is, or go back.";
  if (losesDigits(input)) return "It has a number with more digits than can be kept; write it as a text in quotes.";
  return undefined;
}

/** Detects numbers that would run with another value than the approver wrote. */
function losesDigits(text: string): boolean {
  let loses = false;
  JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === "number" && (Math.abs(value) > Number.MAX_SAFE_INTEGER || !Number.isFinite(value)))
      loses = true;
    return value;
  });
  return loses;
}
