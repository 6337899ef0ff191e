// Defines the requests of the benchmark as JSON texts. The model name tells the mock upstream how to answer.

const SHORT_HISTORY = [
  { role: "system", content: "You answer in one paragraph." },
  { role: "user", content: "Which tide is best for leaving the harbour of Brest under sail?" },
];

/** Ten tools. Together with the messages of `createLongHistory` they are about 10.7 KB of JSON. */
const TOOLS = Array.from({ length: 10 }, (_, i) => ({
  type: "function",
  function: {
    name: `chart_${i}`,
    description: `Looks up sheet ${i} of the chart and says what it shows there. Use it where the question is about sheet ${i}, and only then.`,
    parameters: {
      type: "object",
      properties: {
        place: { type: "string", description: "A name on the sheet" },
        limit: { type: "integer", minimum: 1, maximum: 100 },
        unit: { type: "string", enum: ["m", "ft", "fathom"] },
        near: {
          type: "object",
          properties: { lat: { type: "number" }, lon: { type: "number" } },
          required: ["lat", "lon"],
        },
      },
      required: ["place"],
      additionalProperties: false,
    },
    strict: false,
  },
}));

/** Returns a system message and 20 other messages. Three of them are tool calls, each followed by its result. */
function createLongHistory(): readonly object[] {
  const messages: object[] = [{ role: "system", content: "You know every harbour of the coast. ".repeat(8) }];
  for (let i = 0; i < 8; i += 1) {
    messages.push({ role: "user", content: `Question ${i}: ${"and what of the next one up the coast? ".repeat(6)}` });
    if (i % 3 !== 1)
      messages.push({ role: "assistant", content: `Answer ${i}: ${"that depends on the wind, ".repeat(10)}` });
    else messages.push(...createToolCall(i));
  }
  return [...messages, { role: "user", content: "And now?" }];
}

/** Returns an assistant message with one tool call, and the message with its result. */
function createToolCall(index: number): readonly object[] {
  const args = JSON.stringify({ place: "Rade de Brest, entrance of the Goulet", limit: 3 });
  const call = { id: `call_${index}`, type: "function", function: { name: `chart_${index}`, arguments: args } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: `call_${index}`, content: "Eleven metres at low water, sand." },
  ];
}

const COMMON_FIELDS = { temperature: 0.7, max_tokens: 512 };

/** The request bodies by name. */
export const BODIES = {
  /** A short question; the answer is 1 KB of JSON. */
  plain: JSON.stringify({ model: "plain", messages: SHORT_HISTORY, ...COMMON_FIELDS }),
  /** 10.7 KB with 21 messages and 10 tools; the answer is 1 KB of JSON. */
  long: JSON.stringify({
    ...{ model: "plain", messages: createLongHistory(), tools: TOOLS, tool_choice: "auto" },
    ...COMMON_FIELDS,
  }),
  /** Five events in one write. */
  fewEvents: createStreamBody("events-5-0", SHORT_HISTORY),
  /** 200 events in one write. */
  burst: createStreamBody("events-200-0", SHORT_HISTORY),
  /** 1,000 events, one each 50 ms. */
  paced: createStreamBody("events-1000-50", SHORT_HISTORY),
  /** The same with 21 messages and 10 tools. */
  pacedWithTools: createStreamBody("events-1000-50", createLongHistory(), { tools: TOOLS }),
} as const;

function createStreamBody(model: string, messages: readonly object[], fields: object = {}): string {
  return JSON.stringify({ model, messages, stream: true, ...COMMON_FIELDS, ...fields });
}
