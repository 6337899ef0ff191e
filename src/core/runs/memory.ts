// What is known everywhere about lasting facts: the names of their tools, and how long one may be. Knows no store.

export const SAVE_MEMORY = "save_memory";
export const RECALL_MEMORY = "recall_memory";

/** Characters of one fact. */
export const FACT_CHARS = 1_000;
/** Facts that one search gives. */
export const FACTS_FOUND = 5;

/** A fact as it is kept: on one line, and of whole characters. */
export function normalizeFact(text: string): string {
  return text.trim().toWellFormed().replace(/\s+/g, " ");
}
