// Searches memories by meaning; memories without a vector get one first.
import { createFailure, type Failure, PostelError } from "../core/failures.ts";
import type { Embedder, Observer, SearchMemories } from "../core/ports.ts";
import { FACTS_FOUND } from "../core/runs/memory.ts";
import type { MemoryStore } from "../core/stores/MemoryStore.ts";

export interface MeaningServices {
  readonly memories: Pick<MemoryStore, "withoutVector" | "setVectors" | "nearest">;
  readonly embedder: Embedder;
  /** Model that creates the vectors. */
  readonly model: string;
  readonly observer: Observer;
  /** Search by words, used while vectors are unavailable. */
  readonly byWords: SearchMemories;
}

/** Maximum number of memories that get a vector before one search; later searches embed the rest. */
const MOST_NEW = 256;
const BATCH = 64;
/** Milliseconds for all vectors of one search: a turn waits for it. */
const MOST_MS = 10_000;
/** Maximum number of characters of a query that are embedded: models read some hundred words. */
const QUERY_CHARS = 2_000;

/** Falls back to a search by words if vectors are unavailable. The observer is notified once per outage. */
export function createMemorySearch(services: MeaningServices): SearchMemories {
  const { observer, byWords } = services;
  let isReported = false;
  return async (request) => {
    if (request.query.trim() === "") return [];
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(TOO_LATE), MOST_MS);
    try {
      const found = await nearestFacts(request, services, deadline.signal);
      isReported = false;
      return found;
    } catch (error) {
      if (!isReported) observer.observe({ type: "failure", run: request.run, failure: byWordsNow(error) });
      isReported = true;
      return byWords(request);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function nearestFacts(
  { owner, query, run }: Parameters<SearchMemories>[0],
  { memories, embedder, model: name }: MeaningServices,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const embed = (texts: readonly string[]) =>
    embedder.embed({ model: name, texts, purpose: { kind: "memory", run } }, signal);
  const { model, vectors } = await embed([query.slice(0, QUERY_CHARS).toWellFormed()]);
  const [vector = new Float32Array()] = vectors;
  const kind = { model, dimension: vector.length };
  for (let embeddedCount = 0; embeddedCount < MOST_NEW; embeddedCount += BATCH) {
    const facts = await memories.withoutVector(owner, kind, BATCH);
    if (facts.length === 0) break;
    const embedding = await embed(facts.map(({ text }) => text));
    const dimension = embedding.vectors[0]?.length ?? 0;
    await memories.setVectors(facts, { model: embedding.model, dimension }, embedding.vectors);
  }
  return (await memories.nearest(owner, { model, vector }, FACTS_FOUND)).map(({ text }) => text);
}

const TOO_LATE = new PostelError(createFailure("upstream_timeout", `Vectors of facts took over ${MOST_MS} ms.`));

function byWordsNow(error: unknown): Failure {
  const cause =
    error instanceof PostelError
      ? error.failure
      : createFailure("internal_error", "An unexpected fault of the gateway.");
  return { ...cause, message: `Facts are found by their words until their vectors can be had. ${cause.message}` };
}
