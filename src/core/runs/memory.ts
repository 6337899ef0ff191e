// Names of the memory tools, and limits of memories.

export const SAVE_MEMORY = "save_memory";
export const RECALL_MEMORY = "recall_memory";

/** Maximum number of characters of one memory. */
export const FACT_CHARS = 1_000;
/** Maximum number of memories that one search returns. */
export const FACTS_FOUND = 5;

/** Normalises a memory for storage: one line, well-formed Unicode. */
export function normalizeFact(text: string): string {
  return text.trim().toWellFormed().replace(/\s+/g, " ");
}
