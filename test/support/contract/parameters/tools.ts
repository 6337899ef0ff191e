// Tools and how they may be called, as rows of the contract's table.
import type { JsonObject } from "../../../../src/core/messages.ts";
import { NOT_REFUSED, type Outcomes } from "../cells.ts";
import { GREETING, RESULTS } from "../minds.ts";
import {
  asking,
  calls,
  type Parameter,
  type Refusal,
  says,
  TIME,
  TOOLS,
  text,
  unsupported,
  WEATHER,
} from "../Parameter.ts";

const NO_TOOLS: Refusal = { sees: /"tools":/, words: "This model does not support tools." };
/** Where the wire's own field does not do, the call comes through text. */
const CALLED: Outcomes = { "": "mended", native: "kept", "dropped stream": "learnt" };
/** A missing call is noticed even where words have left. */
const DEMANDED: Outcomes = { "": "mended", native: "kept" };

/** Gemini's own wire has no word for it. */
const ONE_CALL: Outcomes = { ...CALLED, "gemini native": "mended" };
/** A model that is known to leak is not shown its tools; the rows of Claude and Gemini say so of all of theirs. */
const NO_CALL: Outcomes = {
  "": "kept",
  leaky: "mended",
  refusing: "mended",
  anthropic: "mended",
  gemini: "mended",
  "anthropic text": "kept",
  "gemini text": "kept",
};
/** Where words do as an answer, only what is noticed before they leave is done again. */
const ANSWERED: Outcomes = { "": "kept", "dropped whole": "mended" };

/** As long as the other tools are. */
const PROGRAM =
  "Runs a program in the house's own small language and gives back what it printed, all of it, in the order in which it was printed. A program is a list of commands, one a line. The command print writes its number or its word; the command add puts two numbers together; the command wait does nothing for as many seconds as its number says. A program that takes longer than a minute is ended, and what it had printed by then is given back. It has no network, no files and no memory of the programs that ran before it.";

const OSLO = calls(["get_weather", "Oslo"]);
const call = (id: string, city: string): JsonObject => ({
  id,
  type: "function",
  function: { name: "get_weather", arguments: JSON.stringify({ city }) },
});
const result = (id: string, content: string): JsonObject => ({ role: "tool", tool_call_id: id, content });
const FIRST = [says("one"), { role: "assistant", content: null, tool_calls: [call("call00001", "Oslo")] }];

const PATTERN: JsonObject = { type: "grammar", grammar: { syntax: "regex", definition: "^print [0-9]+$" } };

/** The custom tool's call comes in its own spelling. */
const ran: Parameter["fault"] = ({ choices: [choice] }) => {
  const made = JSON.stringify(choice?.calls.map(({ type, custom }) => ({ type, custom })));
  const expected = [{ type: "custom", custom: { name: "run_program", input: "print 42" } }];
  return made === JSON.stringify(expected) ? undefined : `the calls are ${made}`;
};
const program = (more: JsonObject = {}): JsonObject => ({
  type: "custom",
  custom: { name: "run_program", description: PROGRAM, ...more },
});

export const TOOL_ROWS: readonly Parameter[] = [
  { name: "`tools`", ask: asking("one", { tools: TOOLS }), refusal: NO_TOOLS, fault: OSLO, outcomes: CALLED },
  {
    name: "`tools`, two calls in one answer",
    ask: asking("two", { tools: TOOLS }),
    refusal: NO_TOOLS,
    fault: calls(["get_weather", "Oslo"], ["get_weather", "Bergen"]),
    outcomes: CALLED,
  },
  {
    name: "`tools` that are not needed",
    ask: asking("greeting", { tools: TOOLS }),
    refusal: NO_TOOLS,
    fault: text(GREETING),
    outcomes: ANSWERED,
  },
  {
    name: "`tools` with `strict`",
    ask: asking("one", {
      tools: [{ type: "function", function: { ...(WEATHER.function as JsonObject), strict: true } }],
    }),
    refusal: NO_TOOLS,
    fault: OSLO,
    outcomes: CALLED,
  },
  {
    name: "a call and its result in `messages`",
    ask: { messages: [...FIRST, result("call00001", RESULTS.Oslo)], tools: TOOLS },
    refusal: NO_TOOLS,
    fault: text("It is 14 degrees in Oslo."),
    outcomes: ANSWERED,
  },
  {
    name: "two calls and their results in `messages`",
    ask: {
      messages: [
        says("two"),
        { role: "assistant", content: null, tool_calls: [call("call00001", "Oslo"), call("call00002", "Bergen")] },
        result("call00001", RESULTS.Oslo),
        result("call00002", RESULTS.Bergen),
      ],
      tools: TOOLS,
    },
    refusal: NO_TOOLS,
    fault: text("It is 14 degrees in Oslo and 11 degrees in Bergen."),
    outcomes: ANSWERED,
  },
  {
    name: "a tool's result as text parts",
    ask: {
      messages: [
        ...FIRST,
        { role: "tool", tool_call_id: "call00001", content: [{ type: "text", text: RESULTS.Oslo }] },
      ],
      tools: TOOLS,
    },
    refusal: NO_TOOLS,
    fault: text("It is 14 degrees in Oslo."),
    outcomes: ANSWERED,
  },
  {
    name: '`tool_choice: "auto"`',
    ask: asking("one", { tools: TOOLS, tool_choice: "auto" }),
    refusal: NO_TOOLS,
    fault: OSLO,
    outcomes: CALLED,
  },
  {
    name: '`tool_choice: "none"`',
    ask: asking("one", { tools: TOOLS, tool_choice: "none" }),
    refusal: { sees: /"tool_choice":"none"/, words: "tool_choice 'none' is not supported" },
    fault: text("I cannot look that up."),
    outcomes: NO_CALL,
  },
  {
    name: '`tool_choice: "required"`',
    ask: asking("greeting", { tools: TOOLS, tool_choice: "required" }),
    refusal: { sees: /"tool_choice":"required"/, words: "tool_choice 'required' is not supported" },
    fault: OSLO,
    outcomes: { ...DEMANDED, ...NOT_REFUSED },
  },
  {
    name: "`tool_choice` of one tool",
    ask: asking("one", { tools: TOOLS, tool_choice: { type: "function", function: { name: "get_time" } } }),
    refusal: { sees: /"tool_choice":/, words: "tool_choice is not supported" },
    fault: calls(["get_time", "Oslo"]),
    outcomes: { ...DEMANDED, "gemini refusing": "kept" },
  },
  {
    name: "`tool_choice` of `allowed_tools`",
    ask: asking("one", {
      tools: TOOLS,
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [named("get_weather")] } },
    }),
    refusal: NO_TOOLS,
    fault: OSLO,
    outcomes: CALLED,
  },
  {
    name: "`tool_choice` of `allowed_tools`, required",
    ask: asking("one", {
      tools: TOOLS,
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: [named("get_time")] } },
    }),
    refusal: NO_TOOLS,
    fault: calls(["get_time", "Oslo"]),
    outcomes: DEMANDED,
  },
  {
    name: "`parallel_tool_calls: false`",
    ask: asking("two", { tools: TOOLS, parallel_tool_calls: false }),
    refusal: unsupported("parallel_tool_calls"),
    fault: OSLO,
    outcomes: { ...ONE_CALL, "anthropic refusing": "kept" },
  },
  {
    name: "`parallel_tool_calls: true`",
    ask: asking("two", { tools: TOOLS, parallel_tool_calls: true }),
    refusal: unsupported("parallel_tool_calls"),
    fault: calls(["get_weather", "Oslo"], ["get_weather", "Bergen"]),
    outcomes: { ...CALLED, ...NOT_REFUSED },
  },
  {
    name: "`tools` of type `custom`",
    ask: asking("program", {
      tools: [program()],
    }),
    refusal: NO_TOOLS,
    fault: ran,
    outcomes: CALLED,
  },
  {
    name: "`tools` of type `custom` with a `regex`",
    ask: asking("strictly", { tools: [program({ format: PATTERN })] }),
    refusal: NO_TOOLS,
    fault: ran,
    outcomes: CALLED,
  },
  {
    name: "`tool_choice` of a `custom` tool",
    ask: asking("program", {
      tools: [program(), WEATHER],
      tool_choice: { type: "custom", custom: { name: "run_program" } },
    }),
    refusal: NO_TOOLS,
    fault: ran,
    outcomes: DEMANDED,
  },
  {
    name: "a `function_call` and its result in `messages`",
    ask: {
      messages: [
        says("one"),
        { role: "assistant", content: null, function_call: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
        { role: "function", name: "get_weather", content: RESULTS.Oslo },
      ],
      functions: [WEATHER, TIME].map(({ function: spec }) => spec as JsonObject),
    },
    refusal: NO_TOOLS,
    fault: text("It is 14 degrees in Oslo."),
    outcomes: { ...ANSWERED, "gemini native": "mended", "gemini leaky": "mended", "gemini dropped": "mended" },
  },
  {
    name: "`functions`",
    ask: asking("one", { functions: [WEATHER, TIME].map(({ function: spec }) => spec as JsonObject) }),
    refusal: NO_TOOLS,
    fault: functionCall("get_weather"),
    outcomes: ONE_CALL,
  },
  {
    name: "`functions` with `function_call` of one",
    ask: asking("one", {
      functions: [WEATHER, TIME].map(({ function: spec }) => spec as JsonObject),
      function_call: { name: "get_time" },
    }),
    refusal: NO_TOOLS,
    fault: functionCall("get_time"),
    outcomes: { ...DEMANDED, gemini: "mended" },
  },
];

function named(name: string): JsonObject {
  return { type: "function", function: { name } };
}

function functionCall(name: string): Parameter["fault"] {
  return ({ choices: [choice] }) => {
    const { name: called, arguments: args } = (choice?.functionCall ?? {}) as { name?: string; arguments?: string };
    if (choice?.finish !== "function_call") return `finish_reason is ${choice?.finish}`;
    if (called !== name || args === undefined) return `function_call is ${JSON.stringify(choice.functionCall)}`;
    return (JSON.parse(args) as { city: string }).city === "Oslo" ? undefined : `its arguments are ${args}`;
  };
}
