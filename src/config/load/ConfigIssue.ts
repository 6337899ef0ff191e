// A fault in a configuration file.

export interface ConfigIssue {
  /** Position of the value, or of the key that should contain it: UTF-16 units from the start of the file. */
  readonly offset: number;
  /** The path of the field, `upstreams.0.base_url`; empty for the file itself. */
  readonly field: string;
  /** The expected value. Never contains the actual value, which may be a secret. */
  readonly message: string;
}

/** A fault with the path of its field; the caller finds its position in the file. */
export interface ReferenceIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
