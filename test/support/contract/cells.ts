// What the contract's table is made of: wires, kinds of backend, and the outcome that each cell states.
import type { FailureCode } from "../../../src/core/failures.ts";

/** The language of the server behind the gateway. */
export const WIRES = ["openai", "azure", "anthropic", "gemini"] as const;
export type Wire = (typeof WIRES)[number];

/** How a server behaves, whatever its language; `minds.ts` says what each does. */
export const KINDS = ["native", "leaky", "text", "dropped", "refusing"] as const;
export type Kind = (typeof KINDS)[number];

export const FORMS = ["whole", "stream"] as const;
export type Form = (typeof FORMS)[number];

/**
 * `kept`: as asked, and the `postel` block has nothing to say. `mended`: as asked, and the block says what was done for it.
 * `left out`: answered without it, and `postel.mended` names it. `learnt`: not in the first streamed answer, but in the next.
 * Anything else is the code of the error that the caller gets.
 */
export type Outcome = "kept" | "mended" | "left out" | "learnt" | FailureCode;

/** By words that must all be among a cell's wire, kind and form; of several that fit the last counts. `""` fits every cell. */
export type Outcomes = { readonly "": Outcome; readonly [words: string]: Outcome };

/** Where the vendors' own wires say something otherwise or not at all, so that there is nothing to refuse. */
export const NOT_REFUSED = { "anthropic refusing": "kept", "gemini refusing": "kept" } as const;

export interface Place {
  readonly wire: Wire;
  readonly kind: Kind;
  readonly form: Form;
}

export const PLACES: readonly Place[] = WIRES.flatMap((wire) =>
  KINDS.flatMap((kind) => FORMS.map((form) => ({ wire, kind, form }))),
);

/** What is stated for a cell. */
export function statedOutcome(outcomes: Outcomes, { wire, kind, form }: Place): Outcome {
  const here = new Set<string>([wire, kind, form]);
  const fits = (words: string) => words === "" || words.split(" ").every((word) => here.has(word));
  return Object.entries(outcomes).findLast(([words]) => fits(words))?.[1] ?? outcomes[""];
}

/** Words of outcomes that name no wire, kind or form: they would never fit. */
export function strangeWords(outcomes: Outcomes): readonly string[] {
  const known = new Set<string>([...WIRES, ...KINDS, ...FORMS, ""]);
  return Object.keys(outcomes)
    .flatMap((words) => words.split(" "))
    .filter((word) => !known.has(word));
}
