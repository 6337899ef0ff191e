// What a server asks a person while a call of its tool runs, and how that is put to the person. Asks nobody.

import { escapeInvisible } from "../../core/json/escapeInvisible.ts";
import { isObject, type JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import type { RaisedNeed } from "../execution/InterruptRaised.ts";

/** A form to be filled in. */
export interface Elicitation {
  readonly message: string;
  /** JSON Schema of an object. */
  readonly schema: JsonObject;
}

export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content: JsonObject }
  /** A person did not want to say. */
  | { readonly action: "decline" }
  /** Nobody was asked, or nobody has answered. */
  | { readonly action: "cancel" };

export const UNANSWERED: ElicitationAnswer = { action: "cancel" };

/** Characters of what a person is asked. */
const LONGEST = 4_000;
/** Characters of a form. */
const LONGEST_FORM = 16_384;

/** A form that can be shown as it is; undefined for any other. */
export function readElicitation({ message, requestedSchema }: JsonObject): Elicitation | undefined {
  if (typeof message !== "string" || !isObject(requestedSchema)) return undefined;
  const form = JSON.stringify(requestedSchema);
  if (message.length > LONGEST || form.length > LONGEST_FORM || escapeInvisible(form) !== form) return undefined;
  return { message, schema: requestedSchema };
}

/** @param tool as the gateway calls it. */
export function toElicitationNeed(
  { message, schema }: Elicitation,
  { server, tool, redact }: { readonly server: string; readonly tool: string; readonly redact: Redact },
): RaisedNeed {
  return {
    type: "elicitation",
    question: `The server ${server} asks: ${escapeInvisible(redact(message))}`,
    form: schema,
    reason: `It asks while ${escapeInvisible(tool)} runs, and is told the answer. Give it no password and no key.`,
  };
}
