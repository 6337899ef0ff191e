// The calls that a prompt shows: a form with placeholders, and one worked example of a tool that nobody offers. Knows no family.
import type { ToolSpec } from "../../core/messages.ts";
import { PLACEHOLDER } from "../fitting/fitCall.ts";
import { OfferedNames } from "../fitting/resolveName.ts";
import type { CallText } from "../notation/Rendering.ts";
import { spacedJson } from "../notation/toolLists.ts";

export interface WorkedExample {
  readonly question: string;
  /** What the model wants to find out, for families that write their thoughts. */
  readonly thought: string;
  readonly call: CallText;
}

/** A call's form, in which nothing is a value and nothing the name of an offered tool. */
export function formOfCall(tools: readonly ToolSpec[]): CallText {
  const name = FORM_NAMES.find(unoffered(tools)) ?? PLACEHOLDER;
  return { index: 0, name, arguments: spacedJson({ parameter: PLACEHOLDER }) };
}

/** An example of a harmless tool that no offered one could be taken for; undefined where the offered ones have all those names. */
export function workedExample(tools: readonly ToolSpec[]): WorkedExample | undefined {
  const isUnoffered = unoffered(tools);
  return EXAMPLES.find(({ call }) => isUnoffered(call.name));
}

function unoffered(tools: readonly ToolSpec[]): (name: string) => boolean {
  const offered = new OfferedNames(tools.map(({ name }) => name));
  return (name) => offered.resolve(name) === undefined;
}

const FORM_NAMES = ["tool_name", "name_of_the_tool", "the_tool_of_your_choice"];

const EXAMPLES: readonly WorkedExample[] = [
  {
    question: "How many times does the letter a occur in banana?",
    thought: "I need to count letters",
    call: { index: 0, name: "count_letters", arguments: '{"text": "banana", "letter": "a"}' },
  },
  {
    question: "What is the word stone spelt backwards?",
    thought: "I need to spell a word backwards",
    call: { index: 0, name: "spell_backwards", arguments: '{"word": "stone"}' },
  },
  {
    question: "Which words rhyme with moon?",
    thought: "I need words that rhyme",
    call: { index: 0, name: "list_rhymes_of_word", arguments: '{"word": "moon"}' },
  },
];
