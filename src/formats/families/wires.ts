// Chat templates by name: whose framing a model writes, and so may write into its answer. Data only.

/** One chat template's framing. */
export interface WireRow {
  /** The id that `models.yaml` names. */
  readonly id: string;
}

export const WIRES: readonly WireRow[] = [{ id: "chatml" }];
