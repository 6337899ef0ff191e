// What a mend is: how one refusal is known, and what is different from then on. Lists none.

import type { JsonObject } from "../../core/messages.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import type { ModelRequest } from "../ModelClient.ts";

export interface Adaptation {
  /** Whether a body holds what is refused: an upstream cannot refuse what it was not sent. */
  readonly sent: (body: JsonObject) => boolean;
  /** How an error names it, as the source of a pattern; a refusing word must stand near by. */
  readonly names?: string | undefined;
  /** Whole wordings that refuse it without naming it, or with words of their own. */
  readonly wordings?: RegExp | undefined;
  /** What is different from now on. A model that is asked so and refuses the same again has not been helped. */
  readonly learn: (capabilities: Learnable) => Partial<Learnable>;
  /** True where a model for which the change does not help can still be asked in text, as where its upstream refuses tools. */
  readonly elseInText?: true | undefined;
  /** A request that holds nothing but what was refused, and nobody's words. */
  readonly probe: Partial<ModelRequest>;
}

export type Learnable = Pick<
  ModelCapabilities,
  "tools" | "toolChoice" | "jsonSchema" | "systemRole" | "stream" | "quirks"
>;

export function addQuirks(...added: readonly string[]): Adaptation["learn"] {
  return ({ quirks }) => ({ quirks: [...quirks, ...added.filter((id) => !quirks.includes(id))] });
}
