// Texts that are found by their meaning: what is put into a collection, and what is found and tested in it. Knows no database and no model.

/** By what texts were made into vectors: only vectors of one kind can be compared. */
export interface VectorKind {
  /** The name that its upstream is asked for. */
  readonly model: string;
  /** Numbers of one vector. */
  readonly dimension: number;
}

type MetadataValue = string | number | boolean;
/** What is known of an entry beside its text; of a list each value counts. */
export type Metadata = Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>;

/** What an entry's metadata must say under a name: one of the values, or a number within the bounds. */
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
  /** In their order; at least one. */
  readonly parts: readonly { readonly text: string; readonly vector: Float32Array }[];
}

/** A part of an entry that was found. */
export interface FoundPart extends Pick<VectorEntry, "id" | "title" | "url" | "metadata"> {
  readonly text: string;
  /** Cosine of the angle between the two vectors: 1 is the same direction. */
  readonly score: number;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  /** Who made it. */
  readonly model: string;
  /** Parts that are found at the most. */
  readonly most: number;
  /** All must be passed. */
  readonly filter: readonly MetadataTest[];
}
