// The built-in tool by which a model asks the user, and the instruction when to use it. Checks the question only.

import { getOwn, type JsonValue } from "../../core/messages.ts";
import { ASK_USER } from "../../core/runs/interrupts.ts";
import { InterruptRaised } from "../execution/InterruptRaised.ts";
import type { Tool } from "../Tool.ts";

/** Added to the system text of a run that has the tool. */
export const ASK_USER_PROMPT =
  `Ask the user with the tool ${ASK_USER} when you are not sure what is meant, before you do something dangerous, and when ` +
  "there are several ways to go. Give options to choose from where you can. Wait for the answer, and do what it says.";

/** Maximum number of options that a user can survey. */
const MOST_OPTIONS = 10;

export const askUser: Tool = {
  spec: {
    name: ASK_USER,
    description:
      "Asks the user a question and gives the answer. The options, if there are any, are what the user chooses from.",
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", description: "One question, with all that is needed to answer it." },
        options: { type: "array", items: { type: "string" }, description: "2 to 10 answers, no two of them equal." },
      },
      required: ["question"],
      additionalProperties: false,
    },
  },
  idempotent: true,
  async execute(args) {
    const question = getOwn(args, "question");
    if (typeof question !== "string" || question.trim() === "") throw new Error("The question is blank; ask one.");
    const options = readOptions(getOwn(args, "options"));
    throw new InterruptRaised({ type: "clarify", question, ...(options.length > 0 && { options }) });
  },
};

/** Without options the user answers in free text. */
function readOptions(written: JsonValue | undefined): readonly string[] {
  if (written === undefined || written === null) return [];
  if (!isList(written)) throw new Error("Options must be a list of texts.");
  const options = written.map((option) => {
    if (typeof option !== "string") throw new Error("Every option must be a text.");
    if (option.trim() === "") throw new Error("An option is blank; leave it out.");
    return option.trim();
  });
  if (options.length === 1) throw new Error("Too few options (min 2); leave them out to ask an open question.");
  if (options.length > MOST_OPTIONS) throw new Error(`Too many options (max ${MOST_OPTIONS})`);
  const twice = options.find((option, index) => options.indexOf(option) !== index);
  if (twice !== undefined) throw new Error(`The option ${JSON.stringify(twice)} is there twice; no two may be equal.`);
  return options;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
