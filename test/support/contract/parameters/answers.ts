// The form of an answer, its length, its number and its ends, as rows of the contract's table.
import type { JsonObject } from "../../../../src/core/messages.ts";
import { NOT_REFUSED, type Outcomes } from "../cells.ts";
import { COUNT, PROFILE } from "../minds.ts";
import {
  asking,
  calls,
  type Oracle,
  type Parameter,
  PROFILE_SCHEMA,
  says,
  TOOLS,
  text,
  unsupported,
} from "../Parameter.ts";

/** What a backend does not enforce is checked, and asked for again. */
const CHECKED: Outcomes = { "": "mended", native: "kept" };

/** Beside tools a form goes up in words, so there is nothing to refuse. */
const IN_WORDS: Outcomes = { ...CHECKED, "openai refusing": "kept", "azure refusing": "kept", gemini: "mended" };
const STOPPED: Outcomes = { "": "kept", refusing: "mended", ...NOT_REFUSED, dropped: "mended" };

const schema = (more: JsonObject = {}): JsonObject => ({
  response_format: { type: "json_schema", json_schema: { name: "profile", schema: PROFILE_SCHEMA, ...more } },
});
const FORM_REFUSAL = {
  sees: /"(response_format|responseMimeType|output_config)":/,
  words: "response_format is not supported by this model",
};

const FORM_FIELD = "(response_format|responseMimeType|output_config)";
/** A server that takes tools and a form, but not in one request. */
const BESIDE_REFUSAL = {
  sees: new RegExp(`^(?=.*"tools":).*"${FORM_FIELD}":`, "s"),
  words: "json mode cannot be combined with tool/function calling",
};
/** A server that takes no calls of the history without the tools. */
const ALONE_REFUSAL = {
  sees: /^(?!.*"tools":)(.)/s,
  words: "Requests which include `tool_use` or `tool_result` blocks must define tools.",
};
const CALLED = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call00001", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }],
};
const ANSWERED = [says("one"), CALLED, { role: "tool", tool_call_id: "call00001", content: "Mild." }, says("profile")];

const profile: Oracle = ({ choices: [choice] }) => {
  if (!choice || choice.calls.length > 0) return `there are calls: ${JSON.stringify(choice?.calls)}`;
  const same = JSON.stringify(parsed(choice.content)) === PROFILE;
  return same ? undefined : `the content is ${JSON.stringify(choice.content)}`;
};

const object: Oracle = ({ choices: [choice] }) => {
  const value = parsed(choice?.content ?? "");
  const isRight = typeof value === "object" && value !== null && (value as { name?: string }).name === "Ada";
  return isRight ? undefined : `the content is ${JSON.stringify(choice?.content)}`;
};

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** `most` answers, each with its own index and the same text. */
function answers(most: number): Oracle {
  return ({ choices }) => {
    if (choices.length !== most) return `there are ${choices.length} choices`;
    const other = choices.find(({ content, finish }) => content !== COUNT || finish !== "stop");
    return other === undefined ? undefined : `a choice is ${JSON.stringify(other)}`;
  };
}

const logprobs: Oracle = (answer, sent) => {
  const [choice] = answer.choices;
  const told = (choice?.logprobs ?? []).map(({ token }) => token).join("");
  return text(COUNT)(answer, sent) ?? (told === COUNT ? undefined : "the tokens did not come");
};

const UNSEEN = Array.from({ length: 16 }, (_, index) => `unseen${index}`);

export const ANSWER_ROWS: readonly Parameter[] = [
  {
    name: "`response_format` `text`",
    ask: asking("count", { response_format: { type: "text" } }),
    fault: text(COUNT),
    outcomes: { "": "kept" },
  },
  {
    name: "`response_format` `json_object`",
    ask: asking("profile", { response_format: { type: "json_object" } }),
    refusal: FORM_REFUSAL,
    fault: object,
    outcomes: { ...CHECKED, anthropic: "mended" },
  },
  {
    name: "`response_format` `json_schema`",
    ask: asking("profile", schema()),
    refusal: FORM_REFUSAL,
    fault: profile,
    outcomes: CHECKED,
  },
  {
    name: "`response_format` `json_schema`, `strict`",
    ask: asking("profile", schema({ strict: true })),
    refusal: FORM_REFUSAL,
    fault: profile,
    outcomes: CHECKED,
  },
  {
    name: "`json_object` with `tools`, answered",
    ask: asking("profile", { tools: TOOLS, response_format: { type: "json_object" } }),
    refusal: FORM_REFUSAL,
    fault: object,
    outcomes: { ...IN_WORDS, anthropic: "mended" },
  },
  {
    name: "`json_schema` with `tools`, answered",
    ask: asking("profile", { tools: TOOLS, ...schema({ strict: true }) }),
    refusal: FORM_REFUSAL,
    fault: profile,
    outcomes: IN_WORDS,
  },
  {
    name: "`json_schema` with `tools`, called",
    ask: asking("one", { tools: TOOLS, ...schema() }),
    refusal: FORM_REFUSAL,
    fault: calls(["get_weather", "Oslo"]),
    outcomes: IN_WORDS,
  },
  {
    name: "`json_schema` with `tools` that may not be called",
    ask: asking("profile", { tools: TOOLS, tool_choice: "none", ...schema({ strict: true }) }),
    refusal: BESIDE_REFUSAL,
    fault: profile,
    outcomes: { ...CHECKED, "anthropic native": "mended", "gemini native": "mended" },
  },
  {
    name: "`json_schema` with `tools`, a call and its result in `messages`",
    ask: { messages: ANSWERED, tools: TOOLS, ...schema({ strict: true }) },
    refusal: ALONE_REFUSAL,
    fault: profile,
    outcomes: { ...IN_WORDS, "anthropic refusing": "kept" },
  },
  {
    name: "`stop`, a text",
    ask: asking("count", { stop: "six" }),
    refusal: unsupported("stop"),
    fault: text("one two three four five "),
    outcomes: STOPPED,
  },
  {
    name: "`stop`, four texts",
    ask: asking("count", { stop: ["seven", "nine", "unseen", "six"] }),
    refusal: unsupported("stop"),
    fault: text("one two three four five "),
    outcomes: STOPPED,
  },
  {
    name: "`stop`, sixteen texts",
    ask: asking("count", { stop: [...UNSEEN.slice(1), "six"] }),
    refusal: unsupported("stop"),
    fault: text("one two three four five "),
    outcomes: { "": "mended" },
  },
  {
    name: "`stop` with `tools`",
    ask: asking("one", { tools: TOOLS, stop: ["Observation:", "Oslo"] }),
    refusal: unsupported("stop"),
    fault: calls(["get_weather", "Oslo"]),
    outcomes: { ...CHECKED, "dropped stream": "learnt", ...NOT_REFUSED },
  },
  { name: "`n: 1`", ask: asking("count", { n: 1 }), fault: text(COUNT), outcomes: { "": "kept" } },
  { name: "`n: 2`", ask: asking("count", { n: 2 }), fault: answers(2), outcomes: { "": "kept" } },
  {
    name: "`n: 3` with `tools`",
    ask: asking("count", { n: 3, tools: TOOLS }),
    fault: answers(3),
    outcomes: { "": "kept", "dropped whole": "mended" },
  },
  {
    name: "`max_tokens`",
    ask: asking("count", { max_tokens: 4 }),
    refusal: {
      sees: /"max_tokens":/,
      words:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    },
    fault: text("one two three four", "length"),
    outcomes: { "": "kept", refusing: "mended", "gemini refusing": "kept", "anthropic refusing": "upstream_refused" },
  },
  {
    name: "`max_completion_tokens`",
    ask: asking("count", { max_completion_tokens: 4 }),
    refusal: unsupported("max_completion_tokens"),
    fault: text("one two three four", "length"),
    outcomes: { "": "kept", refusing: "mended", ...NOT_REFUSED },
  },
  {
    name: "`logprobs`",
    ask: asking("count", { logprobs: true }),
    refusal: unsupported("logprobs"),
    fault: logprobs,
    outcomes: {
      "": "kept",
      dropped: "left out",
      refusing: "left out",
      "gemini refusing": "kept",
      anthropic: "unsupported_parameter",
    },
  },
  {
    name: "`logprobs` with `top_logprobs`",
    ask: asking("count", { logprobs: true, top_logprobs: 2 }),
    refusal: unsupported("top_logprobs"),
    fault: logprobs,
    outcomes: {
      "": "kept",
      dropped: "left out",
      refusing: "mended",
      "gemini refusing": "kept",
      anthropic: "unsupported_parameter",
    },
  },
  {
    name: "`stream_options.include_usage`",
    ask: asking("count", { stream_options: { include_usage: true } }),
    refusal: unsupported("stream_options"),
    fault: (answer, sent) => text(COUNT)(answer, sent) ?? (answer.usage ? undefined : "there is no usage"),
    outcomes: { "": "kept", "refusing stream": "mended", ...NOT_REFUSED },
  },
];
