// Validates the structured calls of one attempt like calls read from text, and drops duplicates.

import { YIELD, YieldBudget } from "../../core/async/yieldToEventLoop.ts";
import type { FormatIssue } from "../../core/events/issues.ts";
import type { ToolCall, ToolSpec } from "../../core/messages.ts";
import { callKey } from "../../core/runs/callKey.ts";
import type { CallCandidate } from "../../formats/decoders/CallCandidate.ts";
import { fitCall } from "../../formats/validation/fitCall.ts";
import { readNativeCalls } from "../../formats/validation/normalizeNativeCall.ts";
import type { AssembledCall } from "../../models/response/ToolCallAssembler.ts";
import type { AttemptEvent } from "../Agent.ts";
import type { CallIdAllocator } from "./CallIdAllocator.ts";
import { createUnwantedCallIssue } from "./toolChoiceRules.ts";

export interface NativeCallReaderOptions {
  readonly tools: readonly ToolSpec[];
  readonly ids: CallIdAllocator;
  /** False with `tool_choice: none`. */
  readonly allowed: boolean;
  /** True if a number with a fraction is accepted for an `integer`. */
  readonly fractions?: boolean | undefined;
}

/** Characters of arguments that are validated in one event-loop tick, without those of the last call. */
const FITTED_A_TURN = 32_768;
/** Minimum cost of reading and validating a call, in characters. */
const CALL_COST = 512;

export class NativeCallReader {
  readonly #options: NativeCallReaderOptions;
  /** Number of calls read from the text that no structured call has repeated yet, by call key. */
  #leaked: Map<string, number> | undefined;

  constructor(options: NativeCallReaderOptions) {
    this.#options = options;
  }

  /** Records a call that was read from the text. */
  leaked(call: ToolCall): void {
    const key = callKey(call);
    this.#leaked ??= new Map();
    this.#leaked.set(key, (this.#leaked.get(key) ?? 0) + 1);
  }

  /** Reads all structured calls of the attempt. `cut`: the last one may be incomplete. */
  *readCalls(assembled: readonly AssembledCall[], isCut: boolean): Generator<AttemptEvent | typeof YIELD> {
    const pace = new YieldBudget(FITTED_A_TURN);
    for (const [position, call] of assembled.entries()) {
      if (pace.isDue(call.arguments.length)) yield YIELD;
      const unfinished = isCut && position === assembled.length - 1 && !isWholeObject(call.arguments);
      yield* unfinished ? this.#refuseCall(call, truncated(call)) : this.#readOne(call, pace);
    }
  }

  *#readOne(call: AssembledCall, pace: YieldBudget): Generator<AttemptEvent | typeof YIELD> {
    const { id, name, arguments: text } = call;
    if (!this.#options.allowed) {
      yield* this.#refuseCall(call, createUnwantedCallIssue(name, toRawText(call)));
      return;
    }
    const candidates = readNativeCalls({ ...(id !== undefined && { id }), name, arguments: text });
    for (const [position, candidate] of candidates.entries()) {
      if (pace.isDue(CALL_COST)) yield YIELD;
      // Provider fields of the upstream's call go to the first call that it contains.
      yield* this.#fit(position === 0 ? call : { ...call, extra: undefined }, candidate);
    }
  }

  *#fit(call: AssembledCall, candidate: CallCandidate): Generator<AttemptEvent> {
    const raw = toRawText(call);
    const { tools, fractions } = this.#options;
    const fit = fitCall(candidate, { tools, fractions, family: "native", raw });
    if (fit.type === "issue") {
      yield* this.#refuseCall({ ...call, id: candidate.id ?? call.id, name: candidate.name }, fit.issue);
      return;
    }
    const { name, arguments: text, repairs } = fit;
    if (this.#repeatsLeaked({ name, arguments: text })) {
      const message = `The structured call of ${name} repeats one that was read out of the text; it was taken once.`;
      yield { type: "issue", issue: { code: "repeated-call", message, tool: name } };
      return;
    }
    const id = this.#options.ids.allocate(candidate.id ?? call.id);
    const { extra } = call;
    yield {
      type: "call",
      call: { id, name, arguments: text, origin: "native", repairs, raw, ...(extra && { extra }) },
    };
  }

  /** Returns true if the call was already read from the text. Each such call matches only once. */
  #repeatsLeaked(call: Pick<ToolCall, "name" | "arguments">): boolean {
    if (!this.#leaked) return false;
    const key = callKey(call);
    const count = this.#leaked.get(key) ?? 0;
    if (count > 1) this.#leaked.set(key, count - 1);
    else this.#leaked.delete(key);
    return count > 0;
  }

  *#refuseCall(call: AssembledCall, found: FormatIssue): Generator<AttemptEvent> {
    const id = this.#options.ids.allocate(call.id);
    const issue: FormatIssue = { ...found, callId: id };
    const { name, arguments: text, extra } = call;
    yield {
      type: "refused",
      refused: { issue, id, name, arguments: text, ...(extra && { extra }) },
    };
  }
}

function truncated(call: AssembledCall): FormatIssue {
  const message = `The call of ${call.name || "a tool"} was cut off before its arguments were complete.`;
  return { code: "truncated-call", message, family: "native", raw: toRawText(call) };
}

/** Name and arguments as one text, as they arrived. */
function toRawText(call: AssembledCall): string {
  return `${call.name}(${call.arguments})`;
}

/** No JSON object is a prefix of another one, so a complete object was not cut. */
function isWholeObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
