// Converts stored runs, sessions and memories to their public JSON form.

import type { JsonObject, Message } from "../../core/messages.ts";
import type { Interrupt } from "../../core/runs/interrupts.ts";
import type { MemoryRecord } from "../../core/stores/MemoryStore.ts";
import type { RunRecord } from "../../core/stores/RunStore.ts";
import type { SessionRecord } from "../../core/stores/SessionStore.ts";
import { callFields, FUNCTIONS } from "../apis/chatCompletions/encodeCalls.ts";
import { toInterruptJson } from "./interruptJson.ts";

/** Times are epoch milliseconds, since lists are paged by them. */
export function wireRun(run: RunRecord, open: readonly Interrupt[] = []): JsonObject {
  const { id, status, agent, background, sessionId, outcome, failure, feedback, endedAt } = run;
  return {
    id,
    object: "agent.run",
    status,
    agent,
    background,
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(outcome && { outcome }),
    ...(failure && { error: { code: failure.code, message: failure.message } }),
    interrupts: open.map(toInterruptJson),
    ...(feedback && {
      feedback: { rating: feedback.rating, ...(feedback.comment !== undefined && { comment: feedback.comment }) },
    }),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    ...(endedAt !== undefined && { ended_at: endedAt }),
  };
}

export function wireSession(session: SessionRecord): JsonObject {
  const { id, agent, mode, waitingRun, untrusted, messages, createdAt, updatedAt } = session;
  return {
    id,
    object: "agent.session",
    mode,
    ...(agent !== undefined && { agent }),
    ...(waitingRun !== undefined && { waiting_run: waitingRun }),
    ...(untrusted && { untrusted }),
    message_count: messages,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** A stored message in the form of a chat completion. */
export function wireStoredMessage({
  role,
  content,
  name,
  toolCalls = [],
  toolCallId,
  sources,
  extra,
}: Message): JsonObject {
  return {
    ...extra,
    role,
    content,
    ...(name !== undefined && { name }),
    ...callFields(toolCalls, FUNCTIONS),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...(sources && { sources }),
  };
}

export function wireMemory({ id, text, agent, createdAt }: MemoryRecord): JsonObject {
  return { id, object: "agent.memory", text, ...(agent !== undefined && { agent }), created_at: createdAt };
}

/** Builds one page of a list for which `most` + 1 entries were read. `next` is the `before` value of the following page. */
export function wirePage<Entry>(
  entries: readonly Entry[],
  limit: number,
  { wire, time }: { readonly wire: (entry: Entry) => JsonObject; readonly time: (entry: Entry) => number },
): JsonObject {
  const data = entries.slice(0, limit);
  const last = data.at(-1);
  const further = entries.length > limit && last !== undefined;
  return { object: "list", data: data.map(wire), has_more: further, ...(further && { next: time(last) }) };
}
