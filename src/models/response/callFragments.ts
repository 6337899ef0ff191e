// Decides if a fragment of a structured call belongs to the last call under its index.
import type { ModelEvent } from "../../core/events/events.ts";

export type CallFragment = Extract<ModelEvent, { type: "call-fragment" }>;

/** Known fields of the last call under an index. */
export interface ArrivedCall {
  readonly id?: string | undefined;
  /** Empty if none was sent yet. */
  readonly name: string;
  /** True once arguments came, even empty ones: until then a name may come in pieces. */
  readonly hasStarted: boolean;
}

/** Some upstreams send every call under one index: a new id with a name, or another name after arguments, is a new call. */
export function isOfAnotherCall(current: ArrivedCall, { id, name }: CallFragment): boolean {
  if (name === undefined || current.name === "") return false;
  if (id !== undefined && current.id !== undefined) return id !== current.id;
  return current.hasStarted && name !== current.name;
}
