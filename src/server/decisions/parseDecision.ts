// Reads an approver's decision from a request body or from the content of a `role: "tool"` message.
import { z } from "zod";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject, type JsonValue, joinText, type Message } from "../../core/messages.ts";
import type { Decision, Interrupt } from "../../core/runs/interrupts.ts";
import { anyObject, checkShape } from "../validation/checkShape.ts";

const text = z.string().max(65_536);
const plan = z.string().regex(/^[0-9a-f]{64}$/, { error: "must be the `plan` that the interrupt shows" });

const decisionShape = z.looseObject({
  decision: z.enum(["approve", "edit", "reject", "answer", "cancel"]),
  plan: plan.nullish(),
  arguments: anyObject.nullish(),
  reason: text.nullish(),
  response: text.nullish(),
});

/** @throws PostelError `invalid_request` that names the field. */
export function readDecision(raw: unknown): Decision {
  const body = checkShape(decisionShape, raw);
  const { decision: type } = body;
  switch (type) {
    case "approve":
      return { type, plan: needed(body.plan, "plan", type) };
    case "edit": {
      // The body was parsed from JSON text.
      const args = needed(body.arguments, "arguments", type) as JsonObject;
      if (hasLostDigits(args)) throw new PostelError(lostDigits());
      return { type, plan: needed(body.plan, "plan", type), arguments: args };
    }
    case "reject":
      return { type, plan: needed(body.plan, "plan", type), ...(body.reason && { reason: body.reason }) };
    case "answer":
      return { type, response: needed(body.response, "response", type) };
    case "cancel":
      return { type };
    default:
      return type satisfies never;
  }
}

/** An integer beyond 2^53 was parsed to its nearest neighbour, so it is not the number that was written. */
function hasLostDigits(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return value !== null && typeof value === "object" && Object.values(value).some(hasLostDigits);
}

function lostDigits() {
  const message = "`arguments` has a number with more digits than can be kept; write it as a text in quotes.";
  return createFailure("invalid_request", message, { param: "arguments" });
}

/**
 * Reads the decision that answers `interrupt`: JSON, or plain text if a question was asked. @throws PostelError
 * `invalid_request`: plain text approves nothing.
 */
export function parseDecision({ content }: Message, interrupt: Interrupt): Decision {
  const text = joinText(content);
  const body = parseJsonObject(text);
  if (body?.decision !== undefined) return readDecision(body);
  if (!interrupt.plan) return { type: "answer", response: text };
  const message = `The message for \`${interrupt.id}\` decides nothing: what waits there takes JSON, {"decision": "approve" or "reject" or "edit", "plan": …}.`;
  throw new PostelError(createFailure("invalid_request", message, { param: "messages" }));
}

/** Returns true if the text is a JSON decision. */
export function isDecisionText(text: string): boolean {
  return typeof parseJsonObject(text)?.decision === "string";
}

/** Maximum characters of a decision, including edited arguments, which is parsed in one step. */
const LONGEST = 262_144;

function parseJsonObject(text: string): JsonObject | undefined {
  if (text.length > LONGEST || !text.trimStart().startsWith("{")) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function needed<Value>(value: Value | null | undefined, param: string, decision: string): Value {
  if (value !== null && value !== undefined) return value;
  const message = `\`${param}\` is missing: the decision ${decision} takes it.`;
  throw new PostelError(createFailure("invalid_request", message, { param }));
}
