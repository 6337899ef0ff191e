// Renders the tool section of a prompt: the list, the form of a call, one worked example, the rules.
import { countValues } from "../../core/async/stringifyCooperatively.ts";
import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import { demandsCall, type ToolChoice, type ToolSpec } from "../../core/messages.ts";
import { selectPromptLines } from "../../core/models/promptLines.ts";
import { resolveRendering } from "../specs/prompts.ts";
import { PLACEHOLDER } from "../validation/fitCall.ts";
import { compileToolSet } from "../validation/ToolSet.ts";
import { type CallText, type PromptFormat, renderList } from "./PromptFormat.ts";
import { stringifySpaced } from "./toolLists.ts";

/** Characters of tools that are written in one go. */
const TOOLS_A_TURN = 262_144;

/** Renders the tool list, the form of a call, the rules, and further demands of this request. A long list takes several turns of the event loop. */
export function* renderToolSection(
  rendering: PromptFormat,
  request: {
    readonly tools: readonly ToolSpec[];
    readonly toolChoice: ToolChoice;
    readonly parallelToolCalls: boolean | undefined;
    readonly prompt?: readonly string[] | undefined;
  },
): Generator<typeof YIELD, string> {
  const rules = [
    request.parallelToolCalls === false || rendering.several === undefined ? ONE_CALL : rendering.several,
    ...COMMON_RULES,
    ...rendering.never,
    ...(request.prompt
      ? selectPromptLines(request.prompt, request.tools, renderList(rendering.calls, [buildExampleCall(request.tools)]))
      : []),
  ];
  return [
    yield* shownTools(rendering, request.tools),
    ...answerRule(rendering, request.toolChoice),
    `Rules:\n${rules.map((rule) => `- ${rule}`).join("\n")}`,
    ...demand(request.toolChoice),
  ].join("\n\n");
}

/** The last text that was made of a list, which is immutable and comes again with most requests. */
const shown = new WeakMap<readonly ToolSpec[], { readonly rendering: PromptFormat; readonly text: string }>();

/** Renders the part that depends on the tools alone: their list, the form of a call, the example. */
function* shownTools(rendering: PromptFormat, tools: readonly ToolSpec[]): Generator<typeof YIELD, string> {
  const before = shown.get(tools);
  if (before?.rendering === rendering) return before.text;
  const form = `${rendering.how}\n${renderList(rendering.calls, [buildExampleCall(tools)])}`;
  const text = [yield* toolList(rendering, tools), form, ...example(rendering, tools)].join("\n\n");
  shown.set(tools, { rendering, text });
  return text;
}

function* toolList(
  { toolList: { before = "", one, between = "", after = "" } }: PromptFormat,
  tools: readonly ToolSpec[],
): Generator<typeof YIELD, string> {
  const pace = new YieldBudget(TOOLS_A_TURN);
  const written: string[] = [];
  for (const tool of tools) {
    const size = (tool.description?.length ?? 0) + countValues(tool.parameters, TOOLS_A_TURN);
    if (pace.isDue(size)) yield YIELD;
    written.push(one(tool));
  }
  return before + written.join(between) + after;
}

/**
 * Small models repeat what stands between the form of a call and that of an answer, so what stands there is a call, of a made-up tool
 * that no offered one could be taken for; nothing where the offered ones have all those names.
 */
function example(rendering: PromptFormat, tools: readonly ToolSpec[]): readonly string[] {
  const isUnoffered = unoffered(tools);
  const worked = EXAMPLES.find(({ call }) => isUnoffered(call.name));
  if (!worked) return [];
  const text = renderList(rendering.calls, [worked.call]);
  const answer = rendering.thought === undefined ? text : rendering.thought(worked.thought) + text;
  return [`Example, with a tool that is not in your list:\nQuestion: ${worked.question}\n${answer}`];
}

const ONE_CALL = "Write at most one call in an answer.";

const COMMON_RULES: readonly string[] = [
  "Call only tools of the list, by their exact names, with the parameters that their schemas name and with real values.",
  "Stop after the last call and wait: results are given to you, never write one yourself.",
];

function answerRule(rendering: PromptFormat, toolChoice: ToolChoice): readonly string[] {
  if (demandsCall(toolChoice)) return [];
  return [
    rendering.answer ??
      "When no tool is needed, or the results have told you what you need, answer in plain text without any of these marks.",
  ];
}

function demand(toolChoice: ToolChoice): readonly string[] {
  switch (toolChoice.type) {
    case "required":
      return ["You must call a tool in this answer; an answer in plain text is not accepted."];
    case "tool":
      return [`You must call the tool ${toolChoice.name} in this answer, and no other.`];
    case "auto":
    case "none":
      return [];
    default:
      return toolChoice satisfies never;
  }
}

interface WorkedExample {
  readonly question: string;
  /** Goal of the model, for formats that write their thoughts. */
  readonly thought: string;
  readonly call: CallText;
}

/** A call's form, in which nothing is a value and nothing the name of an offered tool. */
export function buildExampleCall(tools: readonly ToolSpec[]): CallText {
  const name = FORM_NAMES.find(unoffered(tools)) ?? PLACEHOLDER;
  return { index: 0, name, arguments: stringifySpaced({ parameter: PLACEHOLDER }) };
}

function unoffered(tools: readonly ToolSpec[]): (name: string) => boolean {
  return (name) => compileToolSet(tools).names.resolve(name) === undefined;
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

/** Renders a call in the format of `emulate`, so that the parser reads the same call back. `arguments` is JSON text. */
export function renderCall(call: { readonly name: string; readonly arguments: string }, emulate: string): string {
  return renderList(resolveRendering(emulate).calls, [{ index: 0, name: call.name, arguments: call.arguments }]);
}
