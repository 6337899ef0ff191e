// Why a piece of model text is not a call: data for the corrective turn, the report and the tests.

export type FormatIssueCode =
  | "malformed-call"
  | "truncated-call"
  | "unknown-tool"
  | "invalid-arguments"
  | "ambiguous-call"
  | "missing-call"
  | "invalid-output"
  | "stray-mark"
  | "too-many-calls"
  | "repeated-call"
  | "quoted-call"
  | "schema-unchecked";

export interface FormatIssue {
  readonly code: FormatIssueCode;
  /** For a person and for the model that is asked again: what was wrong and what is expected. */
  readonly message: string;
  readonly family?: string | undefined;
  /** Where `raw` starts: UTF-16 units from the start of the attempt's text. */
  readonly at?: number | undefined;
  /** The model's own text, whole. */
  readonly raw?: string | undefined;
  /** The offered tool that was meant, where that is known: the corrective turn shows its schema. */
  readonly tool?: string | undefined;
  /** The wire's id of a native call that was refused, so that the correction can be its tool result. */
  readonly callId?: string | undefined;
}
