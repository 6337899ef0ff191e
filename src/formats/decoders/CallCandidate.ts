// A call that a decoder read from model text, before its name is resolved and its arguments are fitted.
import type { ValueAt, ValueText } from "./jsonTree.ts";

/** Maximum calls in one list, which is fitted as one unit. */
export const maxListedCalls = 512;

/** One argument; without a key it is positional. */
export interface Argument {
  readonly key?: string | undefined;
  readonly value: string;
  /**
   * `json`: `value` is strict JSON text with its type on the wire. `raw`: untyped text, whose type the schema decides.
   * `string`: text that the wire declares as a string.
   */
  readonly form: "json" | "raw" | "string";
}

/** The arguments as the wire had them. */
export type CandidateArguments =
  /** Any value (an object, a string with JSON, an array …) with its position in the body. */
  | { readonly type: "json"; readonly value: ValueAt }
  | { readonly type: "list"; readonly list: readonly Argument[] }
  /** Free text for a tool's only fitting parameter (ReAct inputs, raw code bodies). */
  | { readonly type: "text"; readonly text: string }
  /** Strict JSON text of an object of more values than are fitted: it leaves as it came. */
  | { readonly type: "oversized"; readonly text: string }
  /** Text that cannot be read as arguments. Fitting refuses it for every tool. */
  | { readonly type: "unreadable"; readonly text: string };

export type Ambiguity = "name" | "arguments";

export interface CallCandidate {
  readonly name: string;
  readonly id?: string | undefined;
  readonly arguments: CandidateArguments;
  /** Repairs so far (`json-repair`, `python-literal` …). */
  readonly repairs: readonly string[];
  /** Part that the call contains twice with different values. Fitting refuses it, since the intended value is unknown. */
  readonly ambiguous?: Ambiguity | undefined;
}

/** Creates a call whose arguments were read as JSON. */
export function createJsonCall(name: string, value: ValueText, repairs: readonly string[] = []): CallCandidate {
  return { name, arguments: { type: "json", value }, repairs: [...repairs, ...value.repairs] };
}

/** Creates a call whose only argument is text. */
export function createTextCall(name: string, text: string): CallCandidate {
  return { name, arguments: { type: "text", text }, repairs: [] };
}

/** Creates a call from single arguments. */
export function listCall(name: string, list: readonly Argument[], repairs: readonly string[] = []): CallCandidate {
  return { name, arguments: { type: "list", list }, repairs };
}
