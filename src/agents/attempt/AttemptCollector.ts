// Collects one attempt into the result on which decisions are based, and decides which of its calls are emitted.
import { Collector } from "../../core/events/Collector.ts";
import type { ModelEnd } from "../../core/events/events.ts";
import type { FormatIssue } from "../../core/events/issues.ts";
import { createFailure, type Failure } from "../../core/failures.ts";
import type { AttemptResult, RefusedCall } from "../../core/runs/RunState.ts";
import type { AttemptConversation, AttemptEvent } from "../Agent.ts";
import { collectAssistantExtras } from "../history/assistantExtras.ts";
import { detectDroppedTools } from "../turn/detectDroppedTools.ts";
import type { CallPolicy } from "./CallPolicy.ts";
import { TailBuffer } from "./TailBuffer.ts";
import { allowsToolCalls } from "./toolChoiceRules.ts";

/** UTF-16 units of the model's text that a correction quotes. The error is near the end, and no call is longer. */
const QUOTED = 262_144;

interface DrainOptions {
  /** True if the tools were sent in the field of the upstream wire, so that the upstream's token count includes them. */
  readonly countsPrompt: boolean;
  readonly gate: CallPolicy;
}

export class AttemptCollector {
  readonly #conversation: AttemptConversation;
  readonly #countsPrompt: boolean;
  readonly #gate: CallPolicy;
  readonly #tail: TailBuffer;
  readonly #collected: Collector;
  readonly #refusedCalls: RefusedCall[] = [];
  #end: { readonly finishReason: string | null; readonly failure?: Failure } | undefined;
  #dropped: string | undefined;

  constructor(conversation: AttemptConversation, { countsPrompt, gate }: DrainOptions) {
    this.#conversation = conversation;
    this.#countsPrompt = countsPrompt;
    this.#gate = gate;
    // An answer that cannot be corrected is not quoted, so a long plain answer is not buffered.
    const quoted = allowsToolCalls(conversation) || conversation.output.type !== "text" ? QUOTED : 0;
    this.#tail = new TailBuffer(quoted);
    this.#collected = new Collector({ text: false, maxExtraChars: quoted, calls: true });
  }

  /** Returns the issue of a call that must not be emitted, or `beyond` if there are too many calls. */
  add(event: AttemptEvent): FormatIssue | "beyond" | undefined {
    switch (event.type) {
      case "text":
        this.#tail.add(event.text);
        this.#collected.add(event);
        return undefined;
      case "call":
        return this.#admit(event);
      case "issue":
        this.#tail.add(event.issue.raw ?? "");
        this.#collected.add(event);
        return undefined;
      case "refused":
        this.#collected.add({ type: "issue", issue: event.refused.issue });
        this.#refusedCalls.push(event.refused);
        return undefined;
      case "end":
        this.#end = { finishReason: event.finishReason };
        this.#dropped = this.#toolsDropped(event);
        return undefined;
      case "failed":
        this.#end = { finishReason: null, failure: event.failure };
        return undefined;
      case "reasoning":
        this.#collected.add(event);
        return undefined;
      case "opened":
      case "dropped":
        return undefined;
      default:
        return event satisfies never;
    }
  }

  result(): AttemptResult {
    const { hasVisibleText, hasVisibleExtra, hasRefusal, calls, issues } = this.#collected;
    return {
      said: this.#tail.text,
      spoke: hasVisibleText,
      showed: hasVisibleExtra,
      declined: hasRefusal,
      beside: collectAssistantExtras(this.#collected),
      calls,
      issues,
      refused: this.#refusedCalls,
      toolsDropped: this.#dropped,
      ...(this.#end ?? { finishReason: null, failure: UNENDED }),
    };
  }

  /** Reason to believe that the upstream dropped the tools. Any call or issue shows that the model has seen them. */
  #toolsDropped(end: ModelEnd): string | undefined {
    const { toolChoice } = this.#conversation;
    const { calls, issues } = this.#collected;
    const hasNoCall = calls.length === 0 && issues.every(({ code }) => code === "quoted-call");
    return this.#countsPrompt && hasNoCall && toolChoice.type !== "none"
      ? detectDroppedTools(end, this.#conversation)
      : undefined;
  }

  #admit(event: Extract<AttemptEvent, { type: "call" }>): FormatIssue | "beyond" | undefined {
    const { call } = event;
    const verdict = this.#gate.judge(call);
    if (verdict === "beyond") return verdict;
    if (verdict === "leaves") {
      this.#collected.add(event);
      return undefined;
    }
    this.#collected.add({ type: "issue", issue: verdict });
    if (call.origin === "native") {
      const { id, name, arguments: text, extra } = call;
      this.#refusedCalls.push({ issue: verdict, id, name, arguments: text, ...(extra && { extra }) });
    } else {
      this.#tail.add(call.raw);
    }
    return verdict;
  }
}

const UNENDED = createFailure(
  "internal_error",
  "The model's stream ended without saying how. This is a fault of Postel.",
);
