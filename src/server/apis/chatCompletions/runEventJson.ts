// Converts a run event to its public JSON form, for `postel_event` and for the event stream of a run.
import type { ContextEvent, RunEvent } from "../../../core/events/events.ts";
import type { JsonObject } from "../../../core/messages.ts";
import { toInterruptJson } from "../../messages/interruptJson.ts";
import { wireIssue, wireSpent } from "../../messages/postelBlock.ts";
import { wireUsage } from "./completion.ts";
import { wireCall } from "./encodeCalls.ts";
import { buildErrorBody } from "./errorBody.ts";

export function toRunEventJson(event: RunEvent): JsonObject {
  const { type } = event;
  switch (type) {
    case "run-start":
      return { type, run_id: event.runId };
    case "run-resumed":
      return { type, ...(event.turn !== undefined && { turn: event.turn }) };
    case "turn-start":
      return turnStartJson(event);
    case "text-delta":
    case "reasoning-delta":
    case "plan":
      return { type, text: event.text };
    case "tool-call":
    case "tool-start":
      return { type, call: wireCall(event.call) };
    case "tool-result":
      return { type, call_id: event.callId, ...resultJson(event) };
    case "format-issue":
      return { type, issue: wireIssue(event.issue, false) };
    case "attempt":
      return { type, n: event.n, reason: event.reason };
    case "handoff":
      return { type, from: event.from, to: event.to, ...(event.reason !== undefined && { reason: event.reason }) };
    case "nested":
      return { type, call_id: event.callId, agent: event.agent, event: toRunEventJson(event.event) };
    case "interrupt":
      return { type, interrupt: toInterruptJson(event.interrupt) };
    case "task-start":
      return { type, task_id: event.task, name: event.name };
    case "task-end":
      return { type, task_id: event.task, ...resultJson(event) };
    case "reflection":
      return { type, confirmed: event.confirmed, text: event.text };
    case "extraction":
      return "missing" in event ? { type, missing: event.missing } : { type, output: event.output };
    case "turn-end":
      return { type, finish_reason: event.finishReason, ...(event.usage && { usage: wireUsage(event.usage) }) };
    case "turn-failed":
      return { type, ...buildErrorBody(event.failure) };
    case "context-warning":
    case "context-trimmed":
    case "summary":
      return contextEventJson(event);
    case "run-end": {
      const { outcome, turns, spent, sources } = event;
      return { type, outcome, turns, ...(spent && { spent: wireSpent(spent) }), ...(sources && { sources }) };
    }
  }
}

function contextEventJson(event: ContextEvent): JsonObject {
  const { type } = event;
  switch (type) {
    case "context-warning": {
      const { level, tokens, window } = event;
      return { type, level, tokens, context_tokens: window.tokens, source: window.source };
    }
    case "context-trimmed": {
      const { messages, shortened, tokensBefore, tokensAfter } = event;
      return { type, messages, shortened, tokens_before: tokensBefore, tokens_after: tokensAfter };
    }
    case "summary": {
      const { model, messages, tokensBefore, tokensAfter, failure } = event;
      const counts = { model, messages, tokens_before: tokensBefore, tokens_after: tokensAfter };
      return { type, ...counts, ...(failure && buildErrorBody(failure)) };
    }
  }
}

function turnStartJson({ type, model, toolMode, row, note }: Extract<RunEvent, { type: "turn-start" }>): JsonObject {
  return { type, model, tool_mode: toolMode, model_row: row, ...(note && { note }) };
}

function resultJson(event: Extract<RunEvent, { type: "tool-result" | "task-end" }>): JsonObject {
  const { name, content, isError, sources } = event;
  return { name, content, is_error: isError, ...(sources && { sources }) };
}
