// Tracks the calls of a run that approvers rejected, and whether new information has come since. Pure.

import type { ToolCall } from "../../core/messages.ts";
import type { Decision } from "../../core/runs/interrupts.ts";
import type { Rejection, RunState, SettledCall, WaitingCall } from "../../core/runs/RunState.ts";
import { hashEffect } from "../../tools/execution/callEffect.ts";
import type { RunTools } from "../planning/AgentToolset.ts";
import type { Applied } from "./applyDecision.ts";
import { replaceArguments } from "./renewInterrupt.ts";

/** Result of one pass over the calls of a turn. */
export interface PassOutcome {
  readonly waiting: readonly WaitingCall[];
  readonly decisions: ReadonlyMap<string, Decision> | undefined;
  /** Results of the decisions, by call id. */
  readonly decided: ReadonlyMap<string, Applied>;
  /** Ids of the calls that began in this pass. */
  readonly began: ReadonlySet<string>;
  readonly settled: readonly SettledCall[];
  /** Rejections of nested runs that have ended. */
  readonly within: readonly Rejection[];
  readonly registry: Pick<RunTools, "get">;
}

/** The run's rejections after a pass; undefined if there are none. */
export function collectRejections(
  { rejections = [] }: Pick<RunState, "rejections">,
  pass: PassOutcome,
): readonly Rejection[] | undefined {
  const all = new Map([...rejections, ...pass.within, ...listRejected(pass)].map((one) => [one.deed, one]));
  if (all.size === 0) return undefined;
  const isNews = hasAnswer(pass) || hasEffect(pass);
  return [...all.values()].map((one) => (isNews ? { ...one, reconsidered: true } : one));
}

/** The rejection of a call with the same effect; undefined if there is none. */
export function findRejection(
  call: ToolCall,
  rejections: readonly Rejection[],
  { get }: Pick<RunTools, "get">,
): Rejection | undefined {
  const tool = rejections.length === 0 ? undefined : get(call.name);
  if (!tool) return undefined;
  const deed = hashEffect(tool, call);
  return rejections.find((one) => one.deed === deed);
}

function listRejected({ waiting, decisions, decided, registry }: PassOutcome): readonly Rejection[] {
  return waiting.flatMap(({ call, interrupt: { id, plan } }) => {
    const decision = decisions?.get(id);
    const tool = registry.get(call.name);
    if (decision?.type !== "reject" || decision.dryRun || !plan || !tool) return [];
    if (decided.get(call.id)?.type !== "settled") return [];
    const deed = hashEffect(tool, replaceArguments(call, plan.arguments));
    return [{ deed, ...((decision.reason ?? "").trim() !== "" && { reconsidered: true as const }) }];
  });
}

function hasAnswer({ waiting, decisions }: PassOutcome): boolean {
  return waiting.some(({ interrupt }) => decisions?.get(interrupt.id)?.type === "answer");
}

/** Nested runs track their own effects. */
function hasEffect({ settled, began, registry }: PassOutcome): boolean {
  return settled.some(({ call, ran }) => {
    const tool = ran && began.has(call.id) ? registry.get(call.name) : undefined;
    return tool !== undefined && !tool.nests && !(tool.readsOnly ?? tool.idempotent === true);
  });
}
