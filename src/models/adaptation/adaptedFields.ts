// Compares bodies and lists the fields of a request that the upstream does not take as requested.
import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import { asArray, asObject } from "../looseJson.ts";
import type { ModelRequest } from "../ModelClient.ts";
import { buildChatRequestBody, shouldStream } from "../request/chatRequestBody.ts";
import { isHidden } from "../request/quirks.ts";

/**
 * Lists the top-level fields that are sent otherwise than requested, or not at all, in alphabetical order. Postel itself decides about
 * streaming upstream, so `stream` counts only if a streaming client gets a non-streaming answer.
 */
export function listAdaptedFields(request: ModelRequest): readonly string[] {
  if (acceptsAllFields(request)) return request.stream && !shouldStream(request) ? ["stream"] : [];
  const plain: ModelRequest = { ...request, inWords: undefined, callForm: undefined };
  const adaptedRequest = buildChatRequestBody({ ...plain, capabilities: willing(request.capabilities) });
  const reducedBody = buildChatRequestBody(plain);
  const names = new Set([...Object.keys(adaptedRequest), ...ADDED]);
  const fields = [...names].filter((field) => isAdapted(field, adaptedRequest, reducedBody));
  return (request.stream && reducedBody.stream === false ? [...fields, "stream"] : fields).sort();
}

/** Fields that an adaptation sets although the caller did not send them. */
const ADDED = ["reasoning_effort"];

const EVERY_CHOICE = ["auto", "none", "required", "named"] as const;

/** Returns true if the model takes every field, so that both bodies would be the same. */
function acceptsAllFields({ capabilities, toolChoice }: ModelRequest): boolean {
  const { quirks, formats, jsonSchema, systemRole } = capabilities;
  // Tools are hidden from a leaking model only if it must not call any.
  if (!quirks.every(isHidden) || (formats.length > 0 && toolChoice.type === "none")) return false;
  const acceptsAllChoices = EVERY_CHOICE.every((choice) => capabilities.toolChoice.includes(choice));
  return acceptsAllChoices && jsonSchema === "native" && systemRole !== "user";
}

/** The same model, if its upstream took everything. */
function willing(capabilities: ModelCapabilities): ModelCapabilities {
  const { systemRole } = capabilities;
  return {
    ...capabilities,
    quirks: capabilities.quirks.filter(isHidden),
    formats: [],
    toolChoice: EVERY_CHOICE,
    jsonSchema: "native",
    systemRole: systemRole === "user" ? "system" : systemRole,
  };
}

function isAdapted(field: string, adaptedRequest: JsonObject, reducedBody: JsonObject): boolean {
  switch (field) {
    case "model":
    case "stream":
    case "stream_options":
      return false;
    case "messages":
      return joinRoles(adaptedRequest.messages) !== joinRoles(reducedBody.messages);
    default:
      return !isDeepStrictEqual(adaptedRequest[field], reducedBody[field]);
  }
}

/** Detects added or removed messages and changed roles. The quirks guarantee that the text is the same. */
function joinRoles(messages: JsonValue | undefined): string {
  return asArray(messages)
    .map((message) => String(asObject(message)?.role))
    .join();
}
