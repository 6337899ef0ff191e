// What a tool throws to have a person asked instead of giving a result: its need as plain data. Knows no run, and asks nobody.

import type { JsonObject } from "../../core/messages.ts";
import type { InterruptType } from "../../core/runs/interrupts.ts";

export interface RaisedNeed {
  /** The tool's own name for its need, or `clarify` for a question of the model's. */
  readonly type: InterruptType;
  /** For a person: what is asked. */
  readonly question: string;
  /** 2–10 texts, no two equal. */
  readonly options?: readonly string[] | undefined;
  /** JSON Schema of the answer, which the tool is called with again: see `ToolContext.answer`. */
  readonly form?: JsonObject | undefined;
  /** For a person: why it is asked. */
  readonly reason?: string | undefined;
}

/** The person's answer becomes the call's result, or what the call goes on with. */
export class InterruptRaised extends Error {
  override readonly name = "InterruptRaised";
  readonly need: RaisedNeed;

  constructor(need: RaisedNeed) {
    super(need.question);
    this.need = need;
  }
}
