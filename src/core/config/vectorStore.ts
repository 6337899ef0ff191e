// Defines entries, queries and results of vector collections.

/** Model and dimension of vectors: only vectors of one kind can be compared. */
export interface VectorKind {
  /** The model name that is sent upstream. */
  readonly model: string;
  /** Number of dimensions. */
  readonly dimension: number;
}

type MetadataValue = string | number | boolean;
/** Metadata of an entry; each value of a list counts. */
export type Metadata = Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>;

/** A test on an entry's metadata: one of the values, or a number within bounds. */
export type MetadataTest =
  | { readonly type: "one-of"; readonly name: string; readonly values: readonly MetadataValue[] }
  | {
      readonly type: "range";
      readonly name: string;
      readonly gt?: number | undefined;
      readonly gte?: number | undefined;
      readonly lt?: number | undefined;
      readonly lte?: number | undefined;
    };

export interface VectorEntry {
  readonly id: string;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly metadata: Metadata;
  /** In order; at least one. */
  readonly parts: readonly { readonly text: string; readonly vector: Float32Array }[];
}

/** A part of an entry that matches a query. */
export interface FoundPart extends Pick<VectorEntry, "id" | "title" | "url" | "metadata"> {
  readonly text: string;
  /** Cosine of the angle between the two vectors: 1 is the same direction. */
  readonly score: number;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  /** The model that made the vector. */
  readonly model: string;
  /** Maximum number of parts to return. */
  readonly most: number;
  /** All tests must pass. */
  readonly filter: readonly MetadataTest[];
}
