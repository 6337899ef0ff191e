// The fields that an agent run has beyond a chat completion: read, or refused by name. Knows no route.
import { z } from "zod";
import type { AgentRunRequest } from "../agents/AgentRunner.ts";
import { failure, PostelError } from "../core/failures.ts";
import { checkShape } from "./checkShape.ts";

/** The fields of a run that this version knows. */
export const runShape = z.looseObject({
  agent: z.string().min(1).max(256).nullish(),
  max_turns: z.int().min(1).max(100).nullish(),
  timeout_ms: z.int().min(1).max(3_600_000).nullish(),
});

/** What `readRunFields` reads, and the chat request does not. */
export const RUN_FIELDS = ["agent", "max_turns", "timeout_ms"];

/** Fields that would change where a run lives or how it ends: to ignore them would be to answer another question. */
const REFUSED_FIELDS = ["session_id", "background", "context", "mode", "output"];

/** @throws PostelError `invalid_request` or `unsupported_parameter`, with the field in `details.param`. */
export function readRunFields(raw: unknown): Pick<AgentRunRequest, "agent" | "limits"> {
  const body = checkShape(runShape, raw);
  const refused = REFUSED_FIELDS.find((field) => body[field] !== undefined && body[field] !== null);
  if (refused !== undefined) {
    const message = `This version of Postel does not support \`${refused}\` on /v1/agent.`;
    throw new PostelError(failure("unsupported_parameter", message, { param: refused }));
  }
  return {
    ...(body.agent && { agent: body.agent }),
    limits: {
      ...(body.max_turns && { maxTurns: body.max_turns }),
      ...(body.timeout_ms && { timeoutMs: body.timeout_ms }),
    },
  };
}
