// Builds the JSON body of POST /chat/completions from a model request and the model's capabilities. Sends nothing.

import type { JsonObject, JsonValue, ToolSpec } from "../../core/messages.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import type { OutputFormat, Sampling } from "../../core/requests.ts";
import { asObject } from "../looseJson.ts";
import type { ModelRequest } from "../ModelClient.ts";
import { wireMessage, wireToolList } from "./chatMessages.ts";
import { applyQuirks, NO_FORMAT_WITH_TOOLS, TOOLS_BESIDE_CALLS } from "./quirks.ts";
import { isRoutingField } from "./routingFields.ts";

/**
 * Fields that the gateway models. A pass-through field of such a name is never sent, so that a model that must get no tools gets none.
 * `functions` and `function_call` are the older spelling of tools.
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

/** Builds the body and applies the quirks of the model's profile. If the upstream will not enforce the output's form, an instruction asks for it. */
export function buildChatRequestBody(request: ModelRequest): JsonObject {
  const body = buildBody(request, request.messages);
  const { inWords, output } = request;
  return inWords && !enforces(body.response_format, output) ? buildBody(request, inWords) : body;
}

function buildBody(request: ModelRequest, messages: ModelRequest["messages"]): JsonObject {
  const { capabilities } = request;
  const body = passed(request.passthrough);
  body.model = request.model;
  body.messages = messages.map((message) => wireMessage(message, capabilities));
  addSampling(body, request.sampling);
  addTools(body, request);
  Object.assign(body, callFormFields(request) ?? responseFormat(request));
  body.stream = shouldStream(request);
  if (body.stream) body.stream_options = { include_usage: true };
  return applyQuirks(body, capabilities.quirks);
}

/** A body while it is put together: each member is set once, in the order in which it is sent. */
type OpenBody = Record<string, JsonValue>;

function passed(passthrough: JsonObject): OpenBody {
  const body: OpenBody = {};
  for (const name in passthrough) if (mayPass(name)) add(body, name, passthrough[name]);
  return body;
}

function add(body: OpenBody, name: string, value: JsonValue | undefined): void {
  if (value !== undefined) body[name] = value;
}

function mayPass(field: string): boolean {
  return !MODELLED.has(field) && !isRoutingField(field);
}

/** Returns true if the upstream is asked for a streaming answer. */
export function shouldStream(request: Pick<ModelRequest, "capabilities" | "stream" | "watched">): boolean {
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

/** A JSON mode without the schema only enforces an object. */
function enforces(format: JsonValue | undefined, output: OutputFormat): boolean {
  const type = asObject(format)?.type;
  return type === "json_schema" || type === output.type;
}

function addSampling(body: OpenBody, sampling: Sampling): void {
  add(body, "temperature", sampling.temperature);
  add(body, "top_p", sampling.topP);
  add(body, "max_tokens", sampling.maxTokens);
  add(body, "max_completion_tokens", sampling.maxCompletionTokens);
  add(body, "stop", sampling.stop);
  add(body, "seed", sampling.seed);
  add(body, "presence_penalty", sampling.presencePenalty);
  add(body, "frequency_penalty", sampling.frequencyPenalty);
}

function addTools(body: OpenBody, request: ModelRequest): void {
  const renamed = selectTools(request);
  if (renamed.length === 0) return;
  const { capabilities, parallelToolCalls } = request;
  body.tools = wireToolList(renamed);
  add(body, "tool_choice", toWireToolChoice(mayCall(request) ? request.toolChoice : NO_CALL, capabilities.toolChoice));
  add(body, "parallel_tool_calls", parallelToolCalls);
}

const NO_CALL = { type: "none" } as const;

function mayCall({ tools, toolChoice }: ModelRequest): boolean {
  return tools.length > 0 && toolChoice.type !== "none";
}

/**
 * Returns the tools that are sent. Tools that may not be called are dropped if the upstream refuses them with an output form. If it refuses
 * calls of the history without tools, the tools are always sent, or those that were called if the request has none.
 */
function selectTools(request: ModelRequest): readonly ToolSpec[] {
  const { toolsWithheld, capabilities, tools, messages, output } = request;
  if (mayCall(request)) return tools;
  const { quirks } = capabilities;
  const called = quirks.includes(TOOLS_BESIDE_CALLS) ? calledTools(messages) : [];
  if (called.length > 0) return tools.length > 0 ? tools : called;
  if (toolsWithheld || !capabilities.toolChoice.includes("none") || leaks(capabilities)) return [];
  return output.type === "text" || !quirks.includes(NO_FORMAT_WITH_TOOLS) ? tools : [];
}

/** Returns the tools whose calls are in the history, each once, with their names alone. */
function calledTools(messages: ModelRequest["messages"]): readonly ToolSpec[] {
  const names = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name)));
  return [...names].map((name) => ({ name, description: "Was called before, and cannot be called now." }));
}

/**
 * A model that leaks calls also leaks them with `tool_choice: none`, where they would be its answer. It does not call tools that it
 * cannot see.
 */
function leaks({ formats, parse }: ModelCapabilities): boolean {
  return formats.length > 0 && parse === "on";
}

/** `auto` is the default of every upstream. The validation of the answer enforces a choice that the model cannot take. */
function toWireToolChoice(
  choice: ModelRequest["toolChoice"],
  supports: ModelCapabilities["toolChoice"],
): JsonValue | undefined {
  switch (choice.type) {
    case "auto":
      return undefined;
    case "none":
      return supports.includes("none") ? "none" : undefined;
    case "required":
      return supports.includes("required") ? "required" : undefined;
    case "tool":
      if (supports.includes("named")) return { type: "function", function: { name: choice.name } };
      return supports.includes("required") ? "required" : undefined;
    default:
      return choice satisfies never;
  }
}

/** Maximum tokens of an answer with an enforced form: a small model may never end it. */
const FORM_TOKENS = 4_096;

function callFormFields({ callForm, capabilities, sampling }: ModelRequest): JsonObject | undefined {
  if (!callForm || capabilities.jsonSchema !== "native") return undefined;
  const isLimited = sampling.maxTokens !== undefined || sampling.maxCompletionTokens !== undefined;
  return {
    response_format: { type: "json_schema", json_schema: { name: "tool_call", schema: callForm, strict: false } },
    ...(!isLimited && { max_tokens: FORM_TOKENS }),
  };
}

function responseFormat(request: ModelRequest): JsonObject | undefined {
  const { output, capabilities } = request;
  const support = capabilities.jsonSchema;
  if (output.type === "text" || support === "none" || mayPreventCalls(request)) return undefined;
  if (output.type === "json_object" || support === "json_object") return { response_format: { type: "json_object" } };
  const { name, schema, strict } = output;
  return { response_format: { type: "json_schema", json_schema: { name, schema, strict } } };
}

/**
 * Most servers enforce the form from the first token, so that a model with tools never calls one (llama.cpp's invents the answer instead).
 * With callable tools a form is sent only if a profile says that the server allows both, and if no other component would validate the
 * answer.
 */
function mayPreventCalls(request: ModelRequest): boolean {
  const { capabilities } = request;
  if (!mayCall(request) || capabilities.parse === "off") return false;
  const { jsonSchema } = capabilities.source;
  return jsonSchema === "default" || jsonSchema === "evidence";
}
