// Input of chat messages, from a terminal or a pipe.

export interface LineInput {
  /** The next message, of one line or several; undefined at the end of the input. @param sign prompt shown before it */
  read(sign: string): Promise<string | undefined>;
  /** Sets the messages that the user can recall by a key, oldest first. */
  recall(messages: readonly string[]): void;
}
