// The error for an answer of a service that is not in the format that its content type names.

/** Characters of the answer that the message repeats. */
const SHOWN_CHARS = 4_000;

/** A service named a format in its content type, and its answer is not well-formed in it. */
export class AnswerFormatError extends Error {
  /** The complete answer of the service. */
  readonly text: string;

  /** @param why the fault and its position. */
  constructor(why: string, text: string) {
    super(`the service's answer says that it is XML and cannot be read: ${why}. The answer is:\n${shorten(text)}`);
    this.text = text;
  }
}

function shorten(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}
