// Stores memories and searches them.
import type { VectorKind } from "../config/vectorStore.ts";
import type { OwnerKey } from "./OwnerKey.ts";

/** A memory: a fact that outlives its conversation. */
export interface MemoryRecord {
  readonly owner: string;
  readonly id: string;
  readonly text: string;
  /** The agent that saved it; absent: its owner did. */
  readonly agent?: string | undefined;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface MemoryStore {
  put(memory: Omit<MemoryRecord, "createdAt">): Promise<void>;
  /** Memories that share words with the query, best first. The query is plain text and no pattern. */
  search(owner: string, query: string, limit: number): Promise<readonly MemoryRecord[]>;
  /** Memories without a vector of this kind, latest first. */
  withoutVector(owner: string, kind: VectorKind, limit: number): Promise<readonly MemoryRecord[]>;
  /** Replaces the vectors of memories; skips a memory that was deleted or changed. */
  setVectors(memories: readonly MemoryRecord[], kind: VectorKind, vectors: readonly Float32Array[]): Promise<void>;
  /** Nearest memories first, of those with a vector of the same model and length. @throws PostelError `invalid_configuration` if the store was opened without vectors. */
  nearest(
    owner: string,
    to: { readonly model: string; readonly vector: Float32Array },
    limit: number,
  ): Promise<readonly MemoryRecord[]>;
  /** Latest first. */
  list(
    owner: string,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<readonly MemoryRecord[]>;
  delete(key: OwnerKey): Promise<boolean>;
}
