// Settings of sampling and of bookkeeping, and what belongs to no wire, as rows of the contract's table.
import type { JsonValue } from "../../../../src/core/messages.ts";
import { NOT_REFUSED, type Outcomes } from "../cells.ts";
import { COUNT } from "../minds.ts";
import { asking, goesUp, type Parameter, text, unsupported } from "../Parameter.ts";

/** An answer can do without them. */
const GOES_UP: Outcomes = { "": "kept", refusing: "left out" };

/** What only the chat wire has a word for, what Anthropic's has one for too, and Google's. */
const CHAT_ONLY: Outcomes = { ...GOES_UP, anthropic: "left out", gemini: "left out" };
const NOT_GEMINI: Outcomes = { ...GOES_UP, "anthropic refusing": "kept", gemini: "left out" };
const NOT_ANTHROPIC: Outcomes = { ...GOES_UP, anthropic: "left out" };
const UNKNOWN: Outcomes = {
  "": "kept",
  refusing: "upstream_refused",
  anthropic: "upstream_refused",
  gemini: "upstream_refused",
};

/** What would be another answer, and is not given up. */
const ANOTHER_ANSWER: Outcomes = {
  "": "kept",
  refusing: "upstream_refused",
  anthropic: "unsupported_parameter",
  gemini: "unsupported_parameter",
};

/** Values that stand nowhere else in a body, whatever its wire. */
const HINTS: readonly (readonly [field: string, value: JsonValue, token: string | RegExp, unknownTo?: Outcomes])[] = [
  ["temperature", 0.31, "0.31"],
  ["top_p", 0.77, "0.77"],
  ["seed", 271_828, "271828", NOT_ANTHROPIC],
  ["presence_penalty", 0.13, "0.13", NOT_ANTHROPIC],
  ["frequency_penalty", 0.17, "0.17", NOT_ANTHROPIC],
  ["logit_bias", { "50256": -19 }, "50256", CHAT_ONLY],
  ["reasoning_effort", "low", /low|thinkingBudget|budget_tokens/, { ...GOES_UP, ...NOT_REFUSED }],
  ["verbosity", "high", "verbosity", CHAT_ONLY],
  ["user", "caller-77", "caller-77", NOT_GEMINI],
  ["safety_identifier", "caller-78", "caller-78", NOT_GEMINI],
  ["prompt_cache_key", "prefix-9", "prefix-9", CHAT_ONLY],
  ["service_tier", "flex", "flex", CHAT_ONLY],
  ["metadata", { ticket: "t-42" }, "t-42", CHAT_ONLY],
  ["store", false, "store", CHAT_ONLY],
  ["prediction", { type: "content", content: "ten eleven" }, "ten eleven", CHAT_ONLY],
  [
    "prompt_cache_retention",
    "24h",
    "24h",
    { ...CHAT_ONLY, "openai refusing": "upstream_refused", "azure refusing": "upstream_refused" },
  ],
  ["web_search_options", { search_context_size: "medium" }, "medium", ANOTHER_ANSWER],
  ["modalities", ["text"], "", { ...GOES_UP, refusing: "upstream_refused", ...NOT_REFUSED }],
  ["audio", { emitter: "alloy-7", format: "wav" }, "alloy-7", { ...ANOTHER_ANSWER, text: "unsupported_parameter" }],
  ["top_k", 37, "37"],
  ["min_p", 0.07, "0.07", CHAT_ONLY],
  ["repetition_penalty", 1.19, "1.19", CHAT_ONLY],
];

/** What would choose the server, its key or its headers. */
const ROUTING: readonly (readonly [field: string, value: JsonValue])[] = [
  ["api_base", "https://elsewhere.invalid/v1"],
  ["base_url", "https://elsewhere.invalid/v1"],
  ["api_key", "sk-none"],
  ["custom_llm_provider", "openai"],
  ["extra_headers", { authorization: "Bearer none" }],
  ["extra_body", { model: "another" }],
  ["fallbacks", ["another"]],
  ["vertex_project", "another"],
];

export const SETTING_ROWS: readonly Parameter[] = [
  ...HINTS.map(
    ([field, value, token, outcomes = GOES_UP]): Parameter => ({
      name: `\`${field}\``,
      ask: asking("count", { [field]: value }),
      refusal: unsupported(field),
      fault: goesUp(token, text(COUNT)),
      outcomes,
    }),
  ),
  {
    name: "`chat_template_kwargs`",
    ask: asking("count", { chat_template_kwargs: { enable_thinking: false } }),
    refusal: unsupported("chat_template_kwargs"),
    fault: goesUp("enable_thinking", text(COUNT)),
    outcomes: UNKNOWN,
  },
  {
    name: "an unknown field",
    ask: asking("count", { house_speciality: "soup-5" }),
    refusal: unsupported("house_speciality"),
    fault: goesUp("soup-5", text(COUNT)),
    outcomes: UNKNOWN,
  },
  {
    name: "`chat_template`",
    ask: asking("count", { chat_template: "{{ messages }}" }),
    fault: () => "it was taken",
    outcomes: { "": "unsupported_parameter" },
  },
  ...ROUTING.map(
    ([field, value]): Parameter => ({
      name: `\`${field}\``,
      ask: asking("count", { [field]: value }),
      fault: () => "it was taken",
      outcomes: { "": "unsupported_parameter" },
    }),
  ),
];
