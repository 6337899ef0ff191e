// Reads the generation of a Gemini model from its name, and lists what differs between generations.

/**
 * The number in `gemini-2.5-flash`; undefined for a name without one (`gemini-flash-latest`, a tuned model), which is taken for a
 * new one.
 */
function parseGeneration(model: string): number | undefined {
  const [, digits] = /gemini-(\d+(?:\.\d+)?)/i.exec(model) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function isAtLeast(model: string, first: number): boolean {
  return (parseGeneration(model) ?? Number.POSITIVE_INFINITY) >= first;
}

/** Models from 3 on refuse a history without thought signatures: ai.google.dev/gemini-api/docs/thought-signatures. */
export function demandsSignatures(model: string): boolean {
  return isAtLeast(model, 3);
}

/** From 3 on thinking is set by level, before that by a budget of tokens: ai.google.dev/gemini-api/docs/thinking. */
export function thinksByLevel(model: string): boolean {
  return isAtLeast(model, 3);
}

/** Models before 2.5 do not think and refuse a thinking budget. */
export function thinks(model: string): boolean {
  return isAtLeast(model, 2.5);
}

/** From 2.5 on a file may stand at any public address: ai.google.dev/gemini-api/docs/file-input-methods. */
export function canFetchFiles(model: string): boolean {
  return isAtLeast(model, 2.5);
}

/** From 3 on a function's result may contain images: ai.google.dev/gemini-api/docs/function-calling, multimodal responses. */
export function seesResults(model: string): boolean {
  return isAtLeast(model, 3);
}
