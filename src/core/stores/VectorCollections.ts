// Stores collections of vectors and searches them.
import type { FoundPart, MetadataTest, VectorEntry, VectorQuery } from "../config/vectorStore.ts";
import type { OwnerKey } from "./OwnerKey.ts";

/** Stores vectors. A collection is identified by owner and id; it exists while it has entries, all made by one model. Methods reject like those of a `Store`. */
export interface VectorStore {
  /**
   * Writes all entries or none; replaces entries with the same id. `limit`: maximum number of parts of the collection.
   * @throws PostelError `store_full` beyond that; `invalid_configuration` if the collection's vectors are of another kind.
   */
  put(
    collection: OwnerKey,
    given: { readonly entries: readonly VectorEntry[]; readonly model: string; readonly limit: number },
  ): Promise<void>;
  /**
   * The nearest parts of the entries that pass all tests, nearest first. The search is exact: it compares every vector.
   * @throws PostelError `invalid_configuration` if the collection's vectors are of another kind, or if the store was
   * opened without vectors.
   */
  nearest(collection: OwnerKey, query: VectorQuery): Promise<readonly FoundPart[]>;
  /** Deletes the entries with these ids, or those that pass all tests; no test means all. Returns the number of deleted entries. */
  delete(
    collection: OwnerKey,
    what: { readonly ids: readonly string[] } | { readonly filter: readonly MetadataTest[] },
  ): Promise<number>;
}
