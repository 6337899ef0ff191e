// Which fields of a request its upstream model does not take as they were asked. Compares bodies; knows no refusal and no quirk.
import { isDeepStrictEqual } from "node:util";
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import { chatRequestBody } from "./chatRequestBody.ts";
import type { ModelRequest } from "./ModelClient.ts";
import { listIn, objectIn } from "./wireJson.ts";

/**
 * The top-level fields that go up otherwise than asked, or not at all, in the order of the alphabet. How a stream and its usage
 * are asked for is Postel's own business, so `stream` counts only where a caller who reads one gets a whole answer.
 */
export function mendedFields(request: ModelRequest): readonly string[] {
  const plain: ModelRequest = { ...request, inWords: undefined, callForm: undefined };
  const asked = chatRequestBody({ ...plain, capabilities: willing(request.capabilities) });
  const sent = chatRequestBody(plain);
  const fields = Object.keys(asked).filter((field) => isMended(field, asked, sent));
  return (request.stream && sent.stream === false ? [...fields, "stream"] : fields).sort();
}

/** The same model, if its upstream took everything. */
function willing(capabilities: ModelCapabilities): ModelCapabilities {
  const { systemRole } = capabilities;
  return {
    ...capabilities,
    quirks: [],
    formats: [],
    toolChoice: ["auto", "none", "required", "named"],
    jsonSchema: "native",
    systemRole: systemRole === "user" ? "system" : systemRole,
  };
}

function isMended(field: string, asked: JsonObject, sent: JsonObject): boolean {
  switch (field) {
    case "model":
    case "stream":
    case "stream_options":
      return false;
    case "messages":
      return rolesOf(asked.messages) !== rolesOf(sent.messages);
    default:
      return !isDeepStrictEqual(asked[field], sent[field]);
  }
}

/** A message more or fewer, or an instruction in another's mouth: that the words are the same is the quirks' promise. */
function rolesOf(messages: JsonValue | undefined): string {
  return listIn(messages)
    .map((message) => String(objectIn(message)?.role))
    .join();
}
