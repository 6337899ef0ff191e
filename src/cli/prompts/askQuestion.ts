// Asks the user a question, with or without options.
import type { Decision, InterruptRecord } from "../../core/runs/interrupts.ts";
import type { Prompter } from "./Prompter.ts";

const OTHER = "Something else";

/** Resolves with undefined if the user leaves. */
export async function askQuestion(
  { question, options = [], allowOther, reason }: InterruptRecord,
  location: string,
  person: Prompter,
): Promise<Decision | undefined> {
  if (reason !== undefined) person.show({ title: "Why you are asked", text: reason });
  const message = `${question}${location}`;
  if (options.length === 0) return toDecision(await person.write({ message }));
  const chosen = await person.choose({ message, options: allowOther ? [...options, OTHER] : options });
  if (chosen === undefined) return undefined;
  return toDecision(options[chosen] ?? (await person.write({ message: "What else?" })));
}

function toDecision(response: string | undefined): Decision | undefined {
  return response === undefined ? undefined : { type: "answer", response };
}
