// Exception by which a tool asks the user instead of returning a result; contains the question as plain data.

import type { JsonObject } from "../../core/messages.ts";
import type { InterruptType } from "../../core/runs/interrupts.ts";

export interface RaisedNeed {
  /** The tool's own name for its need, or `clarify` for a question of the model's. */
  readonly type: InterruptType;
  /** The question for the user. */
  readonly question: string;
  /** 2–10 texts, no two equal. */
  readonly options?: readonly string[] | undefined;
  /** JSON Schema of the answer, with which the tool is called again: see `ToolContext.answer`. */
  readonly form?: JsonObject | undefined;
  /** The reason for the question, for the user. */
  readonly reason?: string | undefined;
}

/** The user's answer becomes the call's result, or its input when it continues. */
export class InterruptRaised extends Error {
  override readonly name = "InterruptRaised";
  readonly need: RaisedNeed;

  constructor(need: RaisedNeed) {
    super(need.question);
    this.need = need;
  }
}
