// Roles, names and parts of messages, as rows of the contract's table.
import type { JsonObject } from "../../../../src/core/messages.ts";
import { NOT_REFUSED, type Outcomes } from "../cells.ts";
import { COUNT, GREETING, QUESTIONS } from "../minds.ts";
import { calls, goesUp, type Parameter, says, TOOLS, text, WEATHER } from "../Parameter.ts";

const RULE = "Speak as a lighthouse keeper.";
const system = (role: string): JsonObject => ({ role, content: RULE });
/** One grey pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
const SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const PAPER = "JVBERi0xLjQKJSVFT0YK";
const partsOf = (question: keyof typeof QUESTIONS, ...parts: readonly JsonObject[]): JsonObject => ({
  role: "user",
  content: [{ type: "text", text: QUESTIONS[question] }, ...parts],
});
const image = (url: string): JsonObject => ({ type: "image_url", image_url: { url } });
const DATA_IMAGE = image(`data:image/png;base64,${PIXEL}`);
const TOLD: Outcomes = { "": "kept", refusing: "mended", ...NOT_REFUSED };
const READ: Outcomes = { "": "kept", refusing: "upstream_refused", ...NOT_REFUSED };
const UNREAD = { words: "This model does not support that kind of input." };

export const MESSAGE_ROWS: readonly Parameter[] = [
  {
    name: "role `system`",
    ask: { messages: [system("system"), says("count")] },
    refusal: { sees: /"role":"system"/, words: "System role not supported" },
    fault: goesUp(RULE, text(COUNT)),
    outcomes: TOLD,
  },
  {
    name: "role `developer`",
    ask: { messages: [system("developer"), says("count")] },
    refusal: { sees: /"role":"system"/, words: "System role not supported" },
    fault: goesUp(RULE, text(COUNT)),
    outcomes: TOLD,
  },
  {
    name: "a system message after others",
    ask: { messages: [says("greeting"), { role: "assistant", content: GREETING }, system("system"), says("count")] },
    refusal: { sees: /"role":"assistant".*"role":"system"/s, words: "System message must be at the beginning." },
    fault: goesUp(RULE, text(COUNT)),
    outcomes: TOLD,
  },
  {
    name: "two system messages",
    ask: { messages: [{ role: "system", content: "Be brief." }, system("system"), says("count")] },
    refusal: { sees: /"role":"system".*"role":"system"/s, words: "System message must be at the beginning." },
    fault: goesUp(RULE, text(COUNT)),
    outcomes: TOLD,
  },
  {
    name: "two user messages in a row",
    ask: { messages: [says("greeting"), says("count")] },
    refusal: {
      sees: /"role":"user"[^[]*"role":"user"/s,
      words: "Conversation roles must alternate user/assistant/user/assistant/...",
    },
    fault: goesUp(QUESTIONS.greeting, text(COUNT)),
    outcomes: TOLD,
  },
  {
    name: "a conversation that begins with the assistant",
    ask: { messages: [{ role: "assistant", content: GREETING }, says("count")] },
    refusal: {
      sees: /"messages":\[\{"role":"assistant"/,
      words: "Conversation roles must alternate user/assistant/user/assistant/...",
    },
    fault: goesUp(GREETING, text(COUNT)),
    outcomes: TOLD,
  },
  {
    name: "a conversation that ends with the assistant",
    ask: { messages: [says("count"), { role: "assistant", content: "Gladly:" }] },
    refusal: {
      sees: /"role":"assistant","content":"Gladly:"\}\]/,
      words: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    },
    fault: goesUp("Gladly:", text(COUNT)),
    outcomes: TOLD,
  },
  {
    name: "an assistant message without content",
    ask: { messages: [says("greeting"), { role: "assistant", content: "" }, says("count")] },
    fault: text(COUNT),
    outcomes: { "": "kept" },
  },
  {
    name: "a user message without content",
    ask: { messages: [{ role: "user", content: "" }, says("count")] },
    fault: text(COUNT),
    outcomes: { "": "kept" },
  },
  {
    name: "`name` of a message",
    ask: { messages: [{ ...says("count"), name: "quartermaster" }] },
    fault: goesUp("quartermaster", text(COUNT)),
    outcomes: { "": "kept", anthropic: "left out", gemini: "left out" },
  },
  {
    name: "`reasoning_content` of a message",
    ask: {
      messages: [
        says("greeting"),
        { role: "assistant", content: GREETING, reasoning_content: "They greet me." },
        says("count"),
      ],
    },
    fault: text(COUNT),
    outcomes: { "": "kept" },
  },
  {
    name: "an unknown field of a message",
    ask: { messages: [{ ...says("count"), house_mark: "soup-6" }] },
    fault: goesUp("soup-6", text(COUNT)),
    outcomes: { "": "kept", anthropic: "left out", gemini: "left out", text: "left out" },
  },
  {
    name: "text parts",
    ask: { messages: [partsOf("count", { type: "text", text: "And slowly." })] },
    fault: goesUp("And slowly.", text(COUNT)),
    outcomes: { "": "kept" },
  },
  {
    name: "an image as a `data:` URL",
    ask: { messages: [partsOf("count", DATA_IMAGE)] },
    refusal: { sees: /image_url/, ...UNREAD },
    fault: goesUp(PIXEL, text(COUNT)),
    outcomes: READ,
  },
  {
    name: "an image as an `https:` URL",
    ask: { messages: [partsOf("count", image("https://images.invalid/lamp.png"))] },
    refusal: { sees: /image_url/, ...UNREAD },
    fault: goesUp("https://images.invalid/lamp.png", text(COUNT)),
    outcomes: READ,
  },
  {
    name: "an image with `tools`",
    ask: { messages: [partsOf("one", DATA_IMAGE)], tools: TOOLS },
    refusal: { sees: /"tools":/, words: "This model does not support tools." },
    fault: goesUp(PIXEL, calls(["get_weather", "Oslo"])),
    outcomes: { "": "mended", native: "kept", "dropped stream": "learnt" },
  },
  {
    name: "audio (`input_audio`)",
    ask: { messages: [partsOf("count", { type: "input_audio", input_audio: { data: SOUND, format: "wav" } })] },
    refusal: { sees: /input_audio/, ...UNREAD },
    fault: goesUp(SOUND, text(COUNT)),
    outcomes: { ...READ, anthropic: "unsupported_parameter", text: "unsupported_parameter" },
  },
  {
    name: "a `file`",
    ask: {
      messages: [
        partsOf("count", {
          type: "file",
          file: { filename: "paper.pdf", file_data: `data:application/pdf;base64,${PAPER}` },
        }),
      ],
    },
    refusal: { sees: /file_data/, ...UNREAD },
    fault: goesUp(PAPER, text(COUNT)),
    outcomes: { ...READ, text: "unsupported_parameter" },
  },
  {
    name: "a tool's result with an image",
    ask: {
      messages: [
        says("count"),
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call00001", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: "tool", tool_call_id: "call00001", content: [{ type: "text", text: "A photograph." }, DATA_IMAGE] },
      ],
      tools: [WEATHER],
    },
    fault: goesUp(PIXEL, text(COUNT)),
    outcomes: { "": "invalid_request" },
  },
];
