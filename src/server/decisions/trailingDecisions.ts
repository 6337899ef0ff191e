// Finds the decisions in the last messages of a request: `tool` messages that answer an interrupt of this owner. All other
// messages are history.
import { createFailure, PostelError } from "../../core/failures.ts";
import { joinText, type Message } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";
import { APPROVE_TOOL_CALL, ASK_USER, type GivenDecision, type InterruptRecord } from "../../core/runs/interrupts.ts";
import type { AppServices } from "../AppServices.ts";
import { mayBeInterrupt } from "../validation/pathParams.ts";
import { isDecisionText, parseDecision } from "./parseDecision.ts";

/** Calls by which the gateway asks an approver. */
const ASKING_CALLS: ReadonlySet<string> = new Set([ASK_USER, APPROVE_TOOL_CALL]);
/** A run has at most sixteen open interrupts, so an honest client does not send more decisions than this. */
const MOST_ASKED = 64;

export interface TrailingDecisions {
  /** Id of the run that raised the interrupts. */
  readonly run: string;
  /** At least one. */
  readonly decisions: readonly GivenDecision[];
}

/**
 * Returns undefined if the request contains no decision. It does not check if a decision is valid. @throws PostelError
 * `interrupt_not_found` for an answer to an interrupt that this owner does not have, `invalid_request` for an answer that is
 * no decision.
 */
export async function findTrailingDecisions(
  { runs, store: { sessions } }: Pick<AppServices, "runs" | "store">,
  chat: ChatRequest,
  sessionId: string | undefined,
): Promise<TrailingDecisions | undefined> {
  const { messages, caller } = chat;
  const lastAnswer = messages.findLastIndex(({ role }) => role !== "tool") + 1;
  if (lastAnswer === messages.length) return undefined;
  // In a session the calls may be in an earlier answer, which only the store has.
  const stored = lastAnswer === 0 && sessionId !== undefined;
  const before = stored
    ? (await sessions.messages({ owner: caller.name, id: sessionId }, 1))[0]
    : messages[lastAnswer - 1];
  const answers = messages.slice(lastAnswer).filter((message) => mayDecide(message, before));
  if (answers.length === 0) return undefined;
  if (answers.length > MOST_ASKED) throw new PostelError(tooMany(answers.length));
  const answered: { readonly answer: Message; readonly interrupt: InterruptRecord }[] = [];
  for (const answer of answers) {
    const id = answer.toolCallId ?? "";
    const interrupt = mayBeInterrupt(id) ? await runs.interrupt({ owner: caller.name, id }) : undefined;
    if (interrupt) answered.push({ answer, interrupt });
    else if (claimsToDecide(answer, before, chat)) throw new PostelError(unknown(id));
  }
  const [first] = answered;
  if (!first) return undefined;
  const { run } = first.interrupt;
  if (messages.length - lastAnswer > answered.length || answered.some(({ interrupt }) => interrupt.run !== run)) {
    throw new PostelError(mixed(run));
  }
  return {
    run,
    decisions: answered.map(({ answer, interrupt }) => ({
      id: interrupt.id,
      decision: parseDecision(answer, interrupt),
    })),
  };
}

/** A result of the client's own tool needs no lookup in the store. */
function mayDecide(answer: Message, before: Message | undefined): boolean {
  const name = callName(answer, before);
  return name === undefined || ASKING_CALLS.has(name);
}

/**
 * Returns true if the message answers a call of the gateway, or has the form of a decision and answers no other call. Such a
 * message is not sent to the model.
 */
function claimsToDecide(answer: Message, before: Message | undefined, { tools }: ChatRequest): boolean {
  const name = callName(answer, before);
  if (name === undefined) return isDecisionText(joinText(answer.content));
  return !tools.some((tool) => tool.name === name);
}

function callName({ toolCallId }: Message, before: Message | undefined): string | undefined {
  return before?.toolCalls?.find(({ id }) => id === toolCallId)?.name;
}

function unknown(id: string) {
  const message = `Nothing waits for a decision under the id \`${id.slice(0, 64)}\`. GET /v1/agent/interrupts lists what does.`;
  return createFailure("interrupt_not_found", message, { param: "messages" });
}

function mixed(run: string) {
  const message = `The last messages decide on the run \`${run}\` and hold something else too; send the decisions of one run alone.`;
  return createFailure("invalid_request", message, { param: "messages" });
}

function tooMany(count: number) {
  const message = `The request ends in ${count} results of calls that the gateway may have made; it asks ${MOST_ASKED} things at most.`;
  return createFailure("invalid_request", message, { param: "messages" });
}
