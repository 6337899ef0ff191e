// What the recordings of real models show: who is asked what, and in which way. Data only.
import type { ModelProfile } from "../../../src/core/models/capabilities.ts";
import { TOOLS } from "./tasks.ts";

export interface Scene {
  /** The file's name, and the recorded model's. */
  readonly name: string;
  readonly shows: string;
  /** The model, as `fetch.sh` knows it. */
  readonly part: string;
  readonly path: "/v1/agent" | "/v1/chat/completions";
  /** The mode that the caller pins. */
  readonly pinned?: "native";
  /** The operator's row, where the scene needs one. */
  readonly row?: Omit<ModelProfile, "match" | "why">;
  readonly question: string;
  /** Fields of the request beside or instead of the question's. */
  readonly body?: object;
}

const chat = "/v1/chat/completions";
const agent = "/v1/agent";
const pick = (...names: readonly string[]) => ({ tools: TOOLS.filter((tool) => names.includes(tool.function.name)) });
const react = { tools: "text", emulate: "react-text" } as const;
const hermes = { tools: "text", emulate: "hermes-json" } as const;
const forced = { tools: "native", toolChoice: ["auto", "none", "required", "named"] } as const;
const CITIES = "What's the weather in Oslo, and what's the weather in Rome?";
const ROOT = "What is the square root of 1764?";
const TAGS = "Write every call between <tool_call> and </tool_call>, one after the other.";
const told = (question: string) => [
  { role: "system", content: TAGS },
  { role: "user", content: question },
];
const city = {
  type: "object",
  properties: { name: { type: "string" }, country: { type: "string" } },
  required: ["name", "country"],
  additionalProperties: false,
};

export const SCENES: readonly Scene[] = [
  {
    name: "live-native-call",
    shows:
      "In a conversation with a call the model writes the next one as its template does, and it comes on the wire.",
    part: "15b",
    path: chat,
    question: "What's the weather in Oslo?",
    body: { messages: afterOne("What's the weather in Oslo?"), ...pick("get_weather", "web_search") },
  },
  {
    name: "live-forced-call",
    shows: "Forced to call by the server, the model writes its call into the text, then blank lines up to the limit.",
    part: "05b",
    path: chat,
    row: forced,
    question: "What's the weather in Oslo?",
    body: { ...pick("get_weather", "web_search"), tool_choice: "required", max_tokens: 64 },
  },
  {
    name: "live-leaked-call",
    shows: "Free to choose, the model writes its call into the text, and the server leaves it there.",
    part: "05b",
    path: chat,
    question: "What's the weather in Oslo?",
    body: pick("get_weather", "web_search"),
  },
  {
    name: "live-parallel-calls",
    shows:
      "Two cities in one question, two calls in one answer, their braces doubled as in the template's own example.",
    part: "15b",
    path: chat,
    question: CITIES,
    body: { messages: told(CITIES), ...pick("get_weather", "web_search") },
  },
  {
    name: "live-cut-call",
    shows: "The token limit comes in the middle of the call.",
    part: "05b",
    path: chat,
    question: "Search the web for the history of the Eiffel Tower.",
    body: { ...pick("get_weather", "web_search"), max_tokens: 12 },
  },
  {
    name: "live-plain-answer",
    shows: "A question without tools.",
    part: "05b",
    path: chat,
    question: "Name the four seasons, in one line.",
  },
  {
    name: "live-json-answer",
    shows: "An answer in the form of a schema, which the server enforces.",
    part: "05b",
    path: chat,
    row: { jsonSchema: "native" },
    question: "Which city is the capital of Norway?",
    body: {
      response_format: { type: "json_schema", json_schema: { name: "city", strict: true, schema: city } },
    },
  },
  {
    name: "live-dropped-tools",
    shows: "The model's template knows no tools: the server takes them, and drops them in silence.",
    part: "135m",
    path: chat,
    pinned: "native",
    question: "What's the weather in Oslo?",
    body: { tools: TOOLS },
  },
  {
    name: "live-required-in-text",
    shows: "A call is demanded of a model that is asked in text.",
    part: "05b",
    path: chat,
    row: { ...hermes, jsonSchema: "native" },
    question: "Remind me to call mom in 30 minutes.",
    body: { ...pick("set_reminder", "create_event"), tool_choice: "required" },
  },
  {
    name: "live-react-run",
    shows: "A run in ReAct text.",
    part: "15b",
    path: agent,
    row: react,
    question: "What is 1234 times 5678? Use the calculator.",
  },
  {
    name: "live-hermes-run",
    shows: "A run with calls as tagged JSON in the text.",
    part: "15b",
    path: agent,
    row: hermes,
    question: "What is 1234 times 5678? Use the calculator.",
  },
  {
    name: "live-clock-run",
    shows: "A run with the clock, which says in a replay what it said then.",
    part: "15b",
    path: agent,
    row: react,
    question: "What time is it in Tokyo now? Use the clock.",
  },
  {
    name: "live-repeated-call",
    shows: "Asked natively, the model calls again what it has called, although it has the result.",
    part: "15b",
    path: agent,
    row: { tools: "native" },
    question: "What is 6 times 7? Use the calculator.",
  },
  {
    name: "live-empty-answer",
    shows: "After the same call and the same result for the third time the model ends its answer without a word.",
    part: "15b",
    path: chat,
    row: { tools: "native" },
    question: ROOT,
    body: { messages: thrice(ROOT), ...pick("calculate") },
  },
];

/** A client's conversation in which a tool was called once, and another question follows. */
function afterOne(question: string): readonly object[] {
  const round = called("get_weather", { city: "Lima" }, "sunny, 21 °C", ["call_1"]);
  const answered = { role: "assistant", content: "Sunny, 21 °C." };
  return [...told("What's the weather in Lima?"), ...round, answered, { role: "user", content: question }];
}

/** A client's conversation in which a tool was called three times and said the same each time. */
function thrice(question: string): readonly object[] {
  const rounds = called("calculate", { expression: "sqrt(1764)" }, "42", ["call_1", "call_2", "call_3"]);
  return [{ role: "user", content: question }, ...rounds];
}

function called(name: string, input: object, content: string, ids: readonly string[]): readonly object[] {
  const call = { name, arguments: JSON.stringify(input) };
  return ids.flatMap((id) => [
    { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: call }] },
    { role: "tool", tool_call_id: id, content },
  ]);
}
