// The requests of the bench as JSON texts. Knows no gateway; the model's name tells the mock upstream how to answer.

const SHORT = [
  { role: "system", content: "You answer in one paragraph." },
  { role: "user", content: "Which tide is best for leaving the harbour of Brest under sail?" },
];

/** About 10.7 KB of JSON with the messages of `longTalk`. */
const TOOLS = Array.from({ length: 10 }, (_, i) => ({
  type: "function",
  function: {
    name: `chart_${i}`,
    description: `Looks up sheet ${i} of the chart and says what it shows there. Use it where the question is about sheet ${i}, and only then.`,
    parameters: {
      type: "object",
      properties: {
        place: { type: "string", description: "A name on the sheet" },
        most: { type: "integer", minimum: 1, maximum: 100 },
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

/** One message of the system's and nineteen more, three of them calls of tools with their results. */
function longTalk(): readonly object[] {
  const talk: object[] = [{ role: "system", content: "You know every harbour of the coast. ".repeat(8) }];
  for (let i = 0; i < 8; i += 1) {
    talk.push({ role: "user", content: `Question ${i}: ${"and what of the next one up the coast? ".repeat(6)}` });
    if (i % 3 !== 1)
      talk.push({ role: "assistant", content: `Answer ${i}: ${"that depends on the wind, ".repeat(10)}` });
    else talk.push(...lookedUp(i));
  }
  return [...talk, { role: "user", content: "And now?" }];
}

function lookedUp(i: number): readonly object[] {
  const args = JSON.stringify({ place: "Rade de Brest, entrance of the Goulet", most: 3 });
  return [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `call_${i}`, type: "function", function: { name: `chart_${i}`, arguments: args } }],
    },
    { role: "tool", tool_call_id: `call_${i}`, content: "Eleven metres at low water, sand." },
  ];
}

const common = { temperature: 0.7, max_tokens: 512 };

export const BODIES = {
  /** A short question, answered in one piece of 1 KB. */
  plain: JSON.stringify({ model: "plain", messages: SHORT, ...common }),
  /** 10.7 KB: 20 messages, 10 tools. */
  long: JSON.stringify({ model: "plain", messages: longTalk(), tools: TOOLS, tool_choice: "auto", ...common }),
  few: stream("events-5-0", SHORT),
  burst: stream("events-200-0", SHORT),
  paced: stream("events-1000-50", SHORT),
  pacedWithTools: stream("events-1000-50", longTalk(), { tools: TOOLS }),
} as const;

function stream(model: string, messages: readonly object[], more: object = {}): string {
  return JSON.stringify({ model, messages, stream: true, ...common, ...more });
}
