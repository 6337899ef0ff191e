// The fake of Anthropic's API with a model of one kind behind it. Knows how a request and an answer are spelled; judges neither.
import { isObject, type JsonObject, type JsonValue } from "../../../src/core/messages.ts";
import { ANTHROPIC_KEY, AnthropicServer, type Reply } from "../servers/AnthropicServer.ts";
import { calls, INPUT_TOKENS, says } from "../servers/anthropicEvents.ts";
import type { Backend, Judge } from "./backends.ts";
import type { Kind } from "./cells.ts";
import { type Said, type Shown, think, tokensIn } from "./minds.ts";

export async function startAnthropic(kind: Kind, judge: Judge): Promise<Backend> {
  const bodies = new Map<string, string[]>();
  const server = await AnthropicServer.start((request) => {
    const text = JSON.stringify(request);
    const body = JSON.parse(text) as JsonObject;
    const model = String(request.model);
    bodies.set(model, [...(bodies.get(model) ?? []), text]);
    const refusal = judge(model, text, (field) => `${field}: Extra inputs are not permitted`);
    if (refusal) return { status: 400, type: "invalid_request_error", message: refusal };
    const shown = shownBy(body);
    return replyOf(think(shown, kind), shown, body);
  });
  return {
    baseUrl: server.baseUrl,
    apiKey: ANTHROPIC_KEY,
    bodies: (model) => bodies.get(model) ?? [],
    close: () => server.close(),
  };
}

function shownBy(body: JsonObject): Shown {
  const messages = list(body.messages);
  const choice = object(body.tool_choice);
  return {
    words: [wordsIn(body.system), ...messages.map(({ content }) => wordsIn(content))].join("\n"),
    tools: list(body.tools).map(({ name }) => String(name)),
    choice: choiceOf(choice),
    oneCall: choice.disable_parallel_tool_use === true,
    wantsJson: object(body.output_config).format !== undefined,
    stops: (body.stop_sequences ?? []) as readonly string[],
    limit: Number(body.max_tokens),
  };
}

function choiceOf({ type, name }: JsonObject): Shown["choice"] {
  if (type === "none") return "none";
  if (type === "any") return "required";
  return type === "tool" ? { name: String(name) } : "auto";
}

/** Results too: a model reads them. */
function wordsIn(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((block) => (block.type === "tool_result" ? wordsIn(block.content) : (block.text ?? "")))
    .join(" ");
}

function replyOf({ text, calls: made, end, sawTools }: Said, shown: Shown, body: JsonObject): Reply {
  const seen = shown.words.length + (sawTools ? JSON.stringify(body.tools ?? []).length : 0);
  return {
    content: [
      ...(text === "" ? [] : [says(text)]),
      ...made.map((call, index) => calls(`toolu_${index}`, call.name, call.arguments)),
    ],
    ...(end === "length" && { stop: "max_tokens" }),
    tokens: tokensIn(text).length,
    // The fake counts the same for every prompt; the rest of this one came out of its cache.
    cached: [Math.max(0, Math.ceil(seen / 4) - INPUT_TOKENS), 0],
  };
}

function list(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}

function object(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
