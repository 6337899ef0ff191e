// Converts a server's elicitation during a call to a question for the user.

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
  /** The user refused to answer. */
  | { readonly action: "decline" }
  /** The user was not asked or did not answer. */
  | { readonly action: "cancel" };

export const UNANSWERED: ElicitationAnswer = { action: "cancel" };

/** Maximum number of characters of a question. */
const LONGEST = 4_000;
/** Characters of a form. */
const LONGEST_FORM = 16_384;

/** A form that can be shown; undefined for any other. */
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
