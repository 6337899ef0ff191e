// Where the messages of a chat are written: at a terminal, or in a pipe. Knows no conversation.

export interface LineInput {
  /** The next message, of one line or several; undefined where there is nobody any more. @param sign what stands before it */
  read(sign: string): Promise<string | undefined>;
  /** The messages that can be had again by a key from now on, oldest first. */
  recall(messages: readonly string[]): void;
}
