// What is wrong with a field, before its place in the file is known. Knows no section.

/** A fault by the path of its field; its place in the file is the caller's to find. */
export interface ReferenceFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
