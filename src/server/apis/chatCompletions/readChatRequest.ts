// Reads the body of a chat completion as a ChatRequest, or throws a caller failure that names the field.

import { z } from "zod";
import type { LimitsConfig } from "../../../core/config/configuration.ts";
import { createFailure, PostelError, refuseField } from "../../../core/failures.ts";
import type { JsonObject, JsonValue, Message } from "../../../core/messages.ts";
import type { ChatRequest, Sampling } from "../../../core/requests.ts";
import { anyObject, checkShape, list, listField } from "../../validation/checkShape.ts";
import { createSchemaBudget, type SchemaBudget } from "../../validation/checkToolSchema.ts";
import { refuseManyFields, refuseRouting } from "../../validation/forbiddenFields.ts";
import type { HeaderWishes } from "../../validation/postelHeaders.ts";
import type { AcceptContext } from "../FrontApi.ts";
import { type CallSpelling, LEGACY } from "./encodeCalls.ts";
import { readMessages } from "./readMessages.ts";
import { readOutput, responseFormatShape } from "./readResponseFormat.ts";
import { functionCallShape, readFunctionCall, readToolChoice, type ToolDemand, toolChoiceShape } from "./toolChoice.ts";
import {
  functionShape,
  readKnownTools,
  readToolSpecs,
  refuseManyTools,
  toolShape,
  type WireTool,
} from "./toolSpecs.ts";

/** The request and how to encode its answer. */
export interface ReadRequest {
  readonly chat: ChatRequest;
  /** `n`. */
  readonly choices: number;
  readonly includeUsage: boolean;
  readonly calls: CallSpelling;
}

type ReadContext = Omit<AcceptContext, "clock"> & { readonly wishes: HeaderWishes };

const number = (min: number, max: number) => z.number().min(min).max(max).nullish();
const tokens = z.int().min(1).nullish();

/** Maximum of `n`: each choice is a turn of its own with its own upstream request. */
const MOST_CHOICES = 8;

/** Maximum length in characters of `user`, which is sent upstream with every request. */
const MOST_USER_CHARS = 1_024;
const USER_ERROR = { error: `must be a text of at most ${MOST_USER_CHARS} characters` };

/** Shape of the body, without the contents of its messages. */
export const bodyShape = z.looseObject({
  model: z.string().regex(/^[^\p{Cc}]{1,256}$/u, { error: "must be 1–256 characters without control characters" }),
  messages: list.refine((messages) => messages.length > 0, { error: "must hold a message" }),
  tools: listField(toolShape, { comesAgain: true }).nullish(),
  tool_choice: toolChoiceShape,
  functions: listField(functionShape).nullish(),
  function_call: functionCallShape,
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().min(1).max(MOST_CHOICES).nullish(),
  temperature: number(0, 2),
  top_p: number(0, 1),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  stop: z
    .union([z.string().max(1000), z.array(z.string().max(1000)).max(16)], {
      error: "must be a string or a list of at most 16 strings, each of at most 1,000 characters",
    })
    .nullish(),
  seed: z.int().nullish(),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  logit_bias: anyObject.refine(isTokenBias, { error: "must have token ids as keys and numbers as values" }).nullish(),
  response_format: responseFormatShape,
  user: z.union([z.string().max(MOST_USER_CHARS, USER_ERROR), z.number()], USER_ERROR).nullish(),
});

function isTokenBias(bias: JsonObject): boolean {
  return Object.keys(bias).every((token) => /^\d{1,16}$/.test(token) && typeof bias[token] === "number");
}

/** Shape of a task for an agent: the message is built from the input, and the agent may choose the model. */
const taskShape = bodyShape.extend({ model: bodyShape.shape.model.nullish(), messages: list.nullish() });

type Body = z.infer<typeof bodyShape>;

/** Fields that Postel cannot support; ignoring them silently would break the contract. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ["chat_template", "`chat_template` is not taken from callers; the upstream's own template is used."],
]);
const UNSUPPORTED_FIELDS = [...UNSUPPORTED.keys()];

/** Fields that this module reads. */
const READ: ReadonlySet<string> = new Set([...Object.keys(bodyShape.shape), ...UNSUPPORTED.keys()]);
/** Fields that are checked here and still sent upstream. */
const CHECKED: ReadonlySet<string> = new Set(["logit_bias", "user"]);

/** @throws PostelError `invalid_request` or `unsupported_parameter`, with the field in `details.param`. */
export async function readChatRequest(raw: unknown, context: ReadContext): Promise<ReadRequest> {
  checkBounds(raw, context.limits);
  const body = context.gatewayTools && isTask(raw) ? readTask(raw) : checkShape(bodyShape, raw);
  checkSupported(body, context);
  return readAround(await readMessages(body.messages), body, context);
}

/** Reads all fields except the messages. */
function readAround(messages: readonly Message[], body: Body, context: ReadContext): ReadRequest {
  const budget = createSchemaBudget(context.limits.schemaSteps);
  const { tools, demand, parallelToolCalls, calls } = readOffer(body, context, budget);
  const chat: ChatRequest = {
    id: context.id,
    caller: context.caller,
    model: body.model,
    messages,
    tools,
    toolChoice: demand.toolChoice,
    allowedTools: demand.allowedTools,
    parallelToolCalls,
    sampling: readSampling(body),
    output: readOutput(body.response_format, budget),
    stream: body.stream ?? false,
    ahead: undefined,
    watched: undefined,
    pinnedToolMode: context.wishes.pinnedToolMode,
    onInvalid: context.wishes.onInvalid,
    parse: context.wishes.parse,
    passthrough: readPassthrough(body, context.routeFields),
  };
  return { chat, choices: body.n ?? 1, includeUsage: body.stream_options?.include_usage ?? false, calls };
}

function isTask(raw: unknown): boolean {
  const { agent, action, input } = (raw ?? {}) as { [field: string]: unknown };
  return [agent, action, input].some((field) => field !== undefined && field !== null);
}

function readTask(raw: unknown): Body {
  const { model, messages, ...body } = checkShape(taskShape, raw);
  const named = model ?? body.agent;
  if (typeof named === "string") return { ...body, model: named, messages: messages ?? [] };
  return refuseField("model", "`model` is refused: name a model or, in `agent`, an agent that has one.");
}

interface Offer extends Pick<ChatRequest, "tools" | "parallelToolCalls">, Pick<ReadRequest, "calls"> {
  readonly demand: ToolDemand;
}

function readOffer(body: Body, context: ReadContext, budget: SchemaBudget): Offer {
  const { gatewayTools } = context;
  if (body.functions?.length) return readFunctions(body, context, budget);
  if (body.function_call && typeof body.function_call !== "string")
    refuseField("function_call", "`function_call` names a function, and there are no `functions`.");
  const parallelToolCalls = body.parallel_tool_calls ?? undefined;
  const { specs: tools, calls } = readKnownTools(body.tools ?? NO_TOOLS, context.limits, budget);
  const demand = readToolChoice(body.tool_choice, { tools, gatewayTools });
  return { tools, demand, parallelToolCalls, calls };
}

const NO_TOOLS: readonly WireTool[] = [];

/** Reads the legacy field `functions`, whose answers can contain one call only. */
function readFunctions(body: Body, context: ReadContext, budget: SchemaBudget): Offer {
  const newer = (["tools", "tool_choice"] as const).find((field) => body[field] !== undefined && body[field] !== null);
  if (newer !== undefined) refuseField(newer, `\`${newer}\` and the older \`functions\` cannot be sent together.`);
  const given = (body.functions ?? []).map((one): WireTool => ({ type: "function", function: one }));
  const tools = readToolSpecs(given, context.limits, budget, "functions");
  const toolChoice = readFunctionCall(body.function_call, { tools, gatewayTools: context.gatewayTools });
  return { tools, demand: { toolChoice }, parallelToolCalls: false, calls: LEGACY };
}

/** Long lists are rejected by their length alone, before anything examines their entries. */
function checkBounds(raw: unknown, limits: LimitsConfig): void {
  refuseManyFields(raw);
  const { messages, tools, functions } = (raw ?? {}) as { [field: string]: unknown };
  if (Array.isArray(messages) && messages.length > limits.maxMessages) {
    const message = `\`messages\` has ${messages.length} entries; at most ${limits.maxMessages} are taken (\`limits.max_messages\`).`;
    refuseField("messages", message);
  }
  if (Array.isArray(tools)) refuseManyTools(tools, limits.maxTools);
  if (Array.isArray(functions)) refuseManyTools(functions, limits.maxTools, "functions");
}

function checkSupported(body: Body, { gatewayTools }: ReadContext): void {
  if (gatewayTools && (body.n ?? 1) > 1) unsupported("n", "`n` must be 1 here: an agent run has one answer.");
  for (const field of UNSUPPORTED_FIELDS) {
    if (body[field] !== undefined && body[field] !== null) unsupported(field, UNSUPPORTED.get(field) ?? "");
  }
  refuseRouting(body, READ);
}

function readSampling(body: Body): Sampling {
  return {
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    maxTokens: body.max_tokens ?? undefined,
    maxCompletionTokens: body.max_completion_tokens ?? undefined,
    stop: typeof body.stop === "string" ? [body.stop] : (body.stop ?? undefined),
    seed: body.seed ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
  };
}

function readPassthrough(body: Body, routeFields: readonly string[]): JsonObject {
  let passthrough: Record<string, JsonValue> | undefined;
  for (const field in body) {
    if ((READ.has(field) && !CHECKED.has(field)) || routeFields.includes(field)) continue;
    passthrough ??= {};
    passthrough[field] = body[field] as JsonValue;
  }
  return passthrough ?? NOTHING;
}

const NOTHING: JsonObject = {};

function unsupported(param: string, message: string): never {
  throw new PostelError(createFailure("unsupported_parameter", message, { param }));
}
