// Three models that play one task in their own bad manners, whatever client asks: a call of get_weather, then the answer.

import type { ServerResponse } from "node:http";
import { chunk, sendError, sendText, type UpstreamRequest } from "../FakeUpstream.ts";

/** What the tool of the task answers, and what a structured answer must hold. */
export const RESULT = "It is 14 degrees in Oslo.";
export const REPORT = { city: "Oslo", degrees: 14 };

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly response_format?: { readonly type: string };
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** What a model that understood the task does next. */
type Step =
  | { readonly type: "call"; readonly name: string; readonly input: Record<string, unknown> }
  | { readonly type: "report" }
  | { readonly type: "say" };

/** What its server sends. */
type Reply =
  | { readonly type: "refusal"; readonly message: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly arguments: string };

type Persona = (asked: Asked) => Reply;

/** A model by its name. */
export const PERSONAS: Readonly<Record<string, Persona>> = {
  "react-7b": reactModel,
  "qwen2.5-7b-instruct": hermesModel,
  "broken-7b": brokenModel(),
};

/** An upstream of all three. */
export function answerAsPersona({ path, body }: UpstreamRequest, response: ServerResponse): void {
  const asked: Asked = body as unknown as Asked;
  const persona = path.endsWith("/chat/completions") ? PERSONAS[asked.model] : undefined;
  if (persona) send(response, persona(asked));
  else sendError(response, 404, `Nothing is served at ${path} for ${asked.model}.`);
}

/** Its server knows neither tools nor response formats; it writes labelled text and invents an observation. */
function reactModel(asked: Asked): Reply {
  if (asked.tools) return { type: "refusal", message: "react-7b does not support tools" };
  if (asked.response_format) return { type: "refusal", message: "Unknown parameter: 'response_format'." };
  const step = nextStep(asked);
  switch (step.type) {
    case "call": {
      const action = `Thought: I have to use it.\nAction: \`${step.name}\`\nAction Input: ${JSON.stringify(step.input)}`;
      return { type: "text", text: `${action}\nObservation: 99 degrees` };
    }
    case "report":
      return { type: "text", text: `Thought: I know it now.\nFinal Answer: ${JSON.stringify(REPORT)}` };
    case "say":
      return { type: "text", text: `Thought: I know it now.\nFinal Answer: ${RESULT}` };
    default:
      return step satisfies never;
  }
}

/** Its server takes tools and leaves the calls in the text, behind its reasoning. */
function hermesModel(asked: Asked): Reply {
  const step = nextStep(asked);
  const thought = "<think>\nThe tool will tell.\n</think>\n\n";
  switch (step.type) {
    case "call": {
      const call = JSON.stringify({ name: step.name, arguments: step.input });
      return { type: "text", text: `${thought}<tool_call>\n${call}\n</tool_call>` };
    }
    case "report":
      return { type: "text", text: `${thought}\`\`\`json\n${JSON.stringify(REPORT)}\n\`\`\`` };
    case "say":
      return { type: "text", text: RESULT };
    default:
      return step satisfies never;
  }
}

/** It gets everything wrong the first time, and half right the second. */
function brokenModel(): Persona {
  let wrong = false;
  return (asked) => {
    wrong = !wrong;
    const step = nextStep(asked);
    switch (step.type) {
      case "call": {
        const input = Object.entries(step.input).map(([key, value]) => [key, String(value)]);
        const right = JSON.stringify(Object.fromEntries(input));
        return { type: "call", name: step.name, arguments: wrong ? `${right.slice(0, -1)}, "unit": }` : right };
      }
      case "report":
        return { type: "text", text: wrong ? "Sure, here you are!" : `{"city": "Oslo", "degrees": "14"}` };
      case "say":
        return { type: "text", text: RESULT };
      default:
        return step satisfies never;
    }
  };
}

function nextStep(asked: Asked): Step {
  const told = asked.messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
  const prompt = told.join("\n");
  const offered = (name: string) =>
    asked.tools ? asked.tools.some((tool) => tool.function.name === name) : prompt.includes(name);
  if (!prompt.includes("14 degrees")) {
    return { type: "call", name: "get_weather", input: { city: "Oslo", days: 1 } };
  }
  if (offered("final_answer")) return { type: "call", name: "final_answer", input: { answer: RESULT } };
  return asked.response_format || /\bdegrees"?: ?\{/.test(prompt) ? { type: "report" } : { type: "say" };
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply.type === "refusal") sendError(response, 400, reply.message);
  else if (reply.type === "text") sendText(response, reply.text);
  else sendCall(response, reply);
}

function sendCall(response: ServerResponse, { name, arguments: text }: Extract<Reply, { type: "call" }>): void {
  const call = { index: 0, id: "call_1", type: "function", function: { name, arguments: text } };
  const choices = [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }];
  const fields = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify(fields)}\n\n`);
  response.end(`${chunk("", "tool_calls")}data: [DONE]\n\n`);
}
