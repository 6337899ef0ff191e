// Somebody who is asked here and now. Knows no run, and not how the asking looks.

export interface Choice {
  readonly message: string;
  /** One or more; the first is what a careless Enter takes. */
  readonly options: readonly string[];
}

export interface Writing {
  readonly message: string;
  /** What stands there to be changed, in one line; only a terminal can show it. */
  readonly initial?: string | undefined;
  /** True where nothing is an answer too. Otherwise a blank one is asked again. */
  readonly optional?: boolean | undefined;
}

export interface Editing {
  readonly message: string;
  /** What is to be changed. */
  readonly text: string;
}

export interface Showing {
  /** In one line, in our own words. */
  readonly title: string;
  readonly text: string;
  /** True for what a person must not overlook. */
  readonly danger?: boolean | undefined;
}

/**
 * All texts may be a model's or a tool's: whoever asks for a person here gives them as they are, and they are made safe where they are
 * shown. `undefined` is no answer: the person has left, or there is nobody any more; nothing counts as chosen then.
 */
export interface Prompter {
  /** The place of the chosen option. */
  choose(question: Choice): Promise<number | undefined>;
  write(question: Writing): Promise<string | undefined>;
  /** The text as the person wants it; undefined too where it was left as it is. */
  edit(question: Editing): Promise<string | undefined>;
  show(what: Showing): void;
}
