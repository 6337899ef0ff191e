// One thing that is wrong with a configuration file. Knows neither YAML nor schemas.

export interface ConfigIssue {
  /** Where the value, or the key that should hold it, stands: UTF-16 units from the start of the file. */
  readonly offset: number;
  /** The path of the field, `upstreams.0.base_url`; empty for the file itself. */
  readonly field: string;
  /** What is expected there. Never holds a value, for a value may be a secret. */
  readonly message: string;
}

/** A fault by the path of its field; its place in the file is the caller's to find. */
export interface ReferenceIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
