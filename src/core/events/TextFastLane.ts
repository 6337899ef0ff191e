// Words of a streamed answer that leave before the stages between have heard them. Knows neither the wire that they came by nor the one they leave by.

/** What the model says, and what it thinks. */
export type TextKind = "text" | "reasoning";

/**
 * The lane of one streamed answer: whoever sees the bytes come offers their words, whoever reads says whether they are words and nothing
 * else, whoever writes sends them. The stages between hear them all the same, a little later and many in one piece; what has left is only
 * left out when it comes out above ([0076](../../../docs/internals/decisions/0076-words-ahead.md)).
 */
export class TextFastLane {
  /** Set by whoever reads; absent: nobody does yet. */
  reader: FastLaneParser | undefined;
  /** Set by whoever writes. */
  writer: FastLaneSink | undefined;

  /** True where the words have left; else nothing has, and they leave when they are read. */
  offer(kind: TextKind, words: readonly string[]): boolean {
    const { reader, writer } = this;
    if (!reader || !writer) return false;
    for (const one of words) if (!reader.passes(kind, one)) return false;
    return writer.send(kind, words);
  }
}

export interface FastLaneParser {
  /** Whether these words, were they read now, would pass as they are and at once. */
  passes(kind: TextKind, words: string): boolean;
}

export interface FastLaneSink {
  /** Sends words, each as an event of its own and all in one write; false, and nothing is sent, where they would have to wait. */
  send(kind: TextKind, words: readonly string[]): boolean;
}
