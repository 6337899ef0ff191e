// The interface by which a user is asked.

export interface Choice {
  readonly message: string;
  /** One or more; the first is the default for Enter. */
  readonly options: readonly string[];
}

export interface Writing {
  readonly message: string;
  /** Initial text to edit, on one line; only a terminal can show it. */
  readonly initial?: string | undefined;
  /** True if an empty answer is allowed. Otherwise it is asked again. */
  readonly optional?: boolean | undefined;
}

export interface Editing {
  readonly message: string;
  /** The text to edit. */
  readonly text: string;
}

export interface Showing {
  /** On one line, in the gateway's own text. */
  readonly title: string;
  readonly text: string;
  /** True for a warning that the user must not overlook. */
  readonly danger?: boolean | undefined;
}

/**
 * Any text may come from a model or tool: callers pass it unchanged, and the prompter makes it safe for display. `undefined`
 * means no answer: the user has left or the input has ended, and nothing counts as chosen.
 */
export interface Prompter {
  /** Index of the chosen option. */
  choose(question: Choice): Promise<number | undefined>;
  write(question: Writing): Promise<string | undefined>;
  /** The edited text; undefined also if it was not changed. */
  edit(question: Editing): Promise<string | undefined>;
  show(what: Showing): void;
}
