// A model request as the JSON body of POST /chat/completions. Knows field names and what a model's row allows; sends nothing.
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import type { OutputFormat, Sampling } from "../core/requests.ts";
import type { ModelRequest } from "./ModelClient.ts";
import { applyQuirks, TOOLS_BESIDE_CALLS } from "./quirks.ts";
import { isRoutingField } from "./routingFields.ts";
import { objectIn } from "./wireJson.ts";
import { wireMessage, wireTool } from "./wireMessages.ts";

/**
 * What Postel models itself: a passthrough field of such a name is not sent, set or not, so that a model which must get no
 * tools gets none. `functions` and `function_call` are the older spelling of tools.
 */
const MODELLED = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "response_format",
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "stop",
  "seed",
  "presence_penalty",
  "frequency_penalty",
]);

/** The body, after the quirks of the model's row. Where the upstream will not enforce the output's form, it is said in words. */
export function chatRequestBody(request: ModelRequest): JsonObject {
  const body = bodyWith(request, request.messages);
  const { inWords, output } = request;
  return inWords && !enforces(body.response_format, output) ? bodyWith(request, inWords) : body;
}

function bodyWith(request: ModelRequest, messages: ModelRequest["messages"]): JsonObject {
  const { capabilities } = request;
  const body: JsonObject = {
    ...Object.fromEntries(Object.entries(request.passthrough).filter(([name]) => mayPass(name))),
    model: request.model,
    messages: messages.map((message) => wireMessage(message, capabilities)),
    ...samplingFields(request.sampling),
    ...toolFields(request),
    ...(callFormFields(request) ?? responseFormat(request)),
    ...(asksForStream(request) ? { stream: true, stream_options: { include_usage: true } } : { stream: false }),
  };
  return applyQuirks(body, capabilities.quirks);
}

function mayPass(field: string): boolean {
  return !MODELLED.has(field) && !isRoutingField(field);
}

/** Whether the upstream is asked for its answer piece by piece. */
export function asksForStream(request: Pick<ModelRequest, "capabilities" | "stream" | "watched">): boolean {
  const { capabilities, stream, watched } = request;
  switch (capabilities.stream) {
    case "always":
      return true;
    case "never":
      return false;
    case "as-asked":
      return stream === true || watched === true;
    default:
      return capabilities.stream satisfies never;
  }
}

/** A JSON mode without the schema holds an object to its braces and no further. */
function enforces(format: JsonValue | undefined, output: OutputFormat): boolean {
  const type = objectIn(format)?.type;
  return type === "json_schema" || type === output.type;
}

function samplingFields(sampling: Sampling): JsonObject {
  return defined({
    temperature: sampling.temperature,
    top_p: sampling.topP,
    max_tokens: sampling.maxTokens,
    max_completion_tokens: sampling.maxCompletionTokens,
    stop: sampling.stop,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
  });
}

function toolFields(request: ModelRequest): JsonObject {
  const { toolChoice, capabilities, tools } = request;
  if (tools.length === 0) return {};
  const supports = new Set(capabilities.toolChoice);
  if (toolChoice.type === "none" && (!supports.has("none") || leaks(capabilities))) return {};
  return defined({
    tools: tools.map(wireTool),
    tool_choice: wireToolChoice(toolChoice, supports),
    parallel_tool_calls: request.parallelToolCalls,
  });
}

/**
 * A model that leaks calls leaks them against `tool_choice: none` too, where they would be its answer: what it is not shown it does
 * not call.
 */
function leaks({ formats, parse, quirks }: ModelCapabilities): boolean {
  return formats.length > 0 && parse === "on" && !quirks.includes(TOOLS_BESIDE_CALLS);
}

/** `auto` is what every upstream does unasked. A choice that the model cannot take is left to whoever checks the answer. */
function wireToolChoice(
  choice: ModelRequest["toolChoice"],
  supports: ReadonlySet<ModelCapabilities["toolChoice"][number]>,
): JsonValue | undefined {
  switch (choice.type) {
    case "auto":
      return undefined;
    case "none":
      return "none";
    case "required":
      return supports.has("required") ? "required" : undefined;
    case "tool":
      if (supports.has("named")) return { type: "function", function: { name: choice.name } };
      return supports.has("required") ? "required" : undefined;
    default:
      return choice satisfies never;
  }
}

/** Tokens of an answer that is held to a form: a small model may never come to the end of it. */
const FORM_TOKENS = 4_096;

function callFormFields({ callForm, capabilities, sampling }: ModelRequest): JsonObject | undefined {
  if (!callForm || capabilities.jsonSchema !== "native") return undefined;
  const isLimited = sampling.maxTokens !== undefined || sampling.maxCompletionTokens !== undefined;
  return {
    response_format: { type: "json_schema", json_schema: { name: "tool_call", schema: callForm, strict: false } },
    ...(!isLimited && { max_tokens: FORM_TOKENS }),
  };
}

/**
 * Most servers force the form from the first word on, so that a model which is also offered tools never calls one (llama.cpp's
 * invents the answer instead): beside tools a form goes up only where a row says what becomes of it.
 */
function responseFormat({ output, tools, capabilities }: ModelRequest): JsonObject {
  const support = capabilities.jsonSchema;
  const unknown = capabilities.source.jsonSchema === "default" && tools.length > 0;
  if (output.type === "text" || support === "none" || unknown) return {};
  if (output.type === "json_object" || support === "json_object") return { response_format: { type: "json_object" } };
  const { name, schema, strict } = output;
  return { response_format: { type: "json_schema", json_schema: { name, schema, strict } } };
}

function defined(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
