// Type of an adaptation: how a refusal is recognised, and what changes after it.

import type { JsonObject } from "../../core/messages.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import type { ModelRequest } from "../ModelClient.ts";

export interface Adaptation {
  /** Returns true if the body contains the refused part. An upstream cannot refuse a part that it did not receive. */
  readonly isSent: (body: JsonObject) => boolean;
  /** Pattern source for the name of the part in an error. A refusing word must stand near it. */
  readonly names?: string | undefined;
  /** Complete wordings that refuse the part without its name, or in unusual words. */
  readonly wordings?: RegExp | undefined;
  /** Capabilities after the refusal. If the model refuses the adapted request for the same reason, the adaptation does not help. */
  readonly learn: (capabilities: Learnable) => Partial<Learnable>;
  /** True if a model for which the change does not help can still be called in text mode, for example if it refuses tools. */
  readonly elseInText?: true | undefined;
  /** A request with only the refused part, without text of a caller. */
  readonly probe: Partial<ModelRequest>;
}

export type Learnable = Pick<
  ModelCapabilities,
  "tools" | "toolChoice" | "jsonSchema" | "systemRole" | "stream" | "quirks"
>;

export function addQuirks(...added: readonly string[]): Adaptation["learn"] {
  return ({ quirks }) => ({ quirks: [...quirks, ...added.filter((id) => !quirks.includes(id))] });
}
