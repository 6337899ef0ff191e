// The fast path for text of a streamed answer, from the upstream's bytes to the client.

/** Content or reasoning. */
export type TextKind = "text" | "reasoning";

/**
 * The fast path of one streamed answer. The wire offers the text of new bytes, the parser confirms that it is plain
 * text, and the writer sends it. The normal stages still process it, later and in larger pieces; text that was sent is
 * left out of their output ([0076](../../../docs/internals/decisions/0076-words-ahead.md)).
 */
export class TextFastLane {
  /** Set by the parser; absent: none is active yet. */
  reader: FastLaneParser | undefined;
  /** Set by the writer of the response. */
  writer: FastLaneSink | undefined;

  /** Returns true if the text was sent. Otherwise none of it was, and it takes the normal path. */
  trySend(kind: TextKind, texts: readonly string[]): boolean {
    const { reader, writer } = this;
    if (!reader || !writer) return false;
    for (const text of texts) if (!reader.isPlainText(kind, text)) return false;
    return writer.send(kind, texts);
  }
}

export interface FastLaneParser {
  /** Returns true if the parser would emit this text at once and unchanged. */
  isPlainText(kind: TextKind, texts: string): boolean;
}

export interface FastLaneSink {
  /** Sends each text as an event of its own, all in one write. Returns false and sends nothing if the client is not ready. */
  send(kind: TextKind, texts: readonly string[]): boolean;
}
