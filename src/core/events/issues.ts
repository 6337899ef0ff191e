// Defines the issues of model text that is no valid call, for corrections, reports and tests.

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
  /** Text for the user and for the model that is asked again: the error, and the expected form. */
  readonly message: string;
  readonly family?: string | undefined;
  /** Offset of `raw` in UTF-16 units from the start of the attempt's text. */
  readonly at?: number | undefined;
  /** The complete text that the model wrote. */
  readonly raw?: string | undefined;
  /** The tool that was meant, if known: the correction shows its schema. */
  readonly tool?: string | undefined;
  /** The wire's id of a refused native call, so that the correction can be its tool result. */
  readonly callId?: string | undefined;
}
