// The part of the prompt that shows the tools and says how to call them. Knows nothing of messages.
import { sizeOf } from "../../core/jsonInTurns.ts";
import { TURN } from "../../core/loopTurn.ts";
import { demandsCall, type ToolChoice, type ToolSpec } from "../../core/messages.ts";
import { Pace } from "../../core/Pace.ts";
import type { Rendering } from "../notation/Rendering.ts";
import { formOfCall, workedExample } from "./shownCalls.ts";

/** Characters of tools that are written in one go. */
const TOOLS_A_TURN = 262_144;

/** Tool list, form of a call, rules, and what this request demands beyond them; a long list with turns of the event loop in between. */
export function* toolSection(
  rendering: Rendering,
  request: {
    readonly tools: readonly ToolSpec[];
    readonly toolChoice: ToolChoice;
    readonly parallelToolCalls: boolean | undefined;
  },
): Generator<typeof TURN, string> {
  const rules = [
    request.parallelToolCalls === false || rendering.several === undefined ? ONE_CALL : rendering.several,
    ...COMMON_RULES,
    ...rendering.never,
  ];
  return [
    yield* toolList(rendering, request.tools),
    `${rendering.how}\n${rendering.calls([formOfCall(request.tools)])}`,
    ...example(rendering, request.tools),
    ...answerRule(rendering, request.toolChoice),
    `Rules:\n${rules.map((rule) => `- ${rule}`).join("\n")}`,
    ...demand(request.toolChoice),
  ].join("\n\n");
}

function* toolList(
  { toolList: { before, one, between, after } }: Rendering,
  tools: readonly ToolSpec[],
): Generator<typeof TURN, string> {
  const pace = new Pace(TOOLS_A_TURN);
  const written: string[] = [];
  for (const tool of tools) {
    const size = (tool.description?.length ?? 0) + sizeOf(tool.parameters, TOOLS_A_TURN);
    if (pace.due(size)) yield TURN;
    written.push(one(tool));
  }
  return before + written.join(between) + after;
}

/** Small models repeat what stands between the form of a call and that of an answer, so what stands there is a call, of a made-up tool. */
function example(rendering: Rendering, tools: readonly ToolSpec[]): readonly string[] {
  const shown = workedExample(tools);
  if (!shown) return [];
  const { question, thought, call } = shown;
  const text = rendering.calls([call]);
  const answer = rendering.thought === undefined ? text : rendering.thought(thought) + text;
  return [`Example, with a tool that is not in your list:\nQuestion: ${question}\n${answer}`];
}

const ONE_CALL = "Write at most one call in an answer.";

const COMMON_RULES: readonly string[] = [
  "Call only tools of the list, by their exact names, with the parameters that their schemas name and with real values.",
  "Stop after the last call and wait: results are given to you, never write one yourself.",
];

function answerRule(rendering: Rendering, toolChoice: ToolChoice): readonly string[] {
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
