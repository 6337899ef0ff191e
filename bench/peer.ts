// Wraps the Hermes protocol of `@ai-sdk-tool/parser` for the comparison in `parser.ts`.
import { hermesProtocol } from "@ai-sdk-tool/parser";

/** A parser that is compared with Postel's. It knows the tool `save_chart`. */
export interface PeerParser {
  /** Parses a complete text. */
  parseText(text: string): unknown;
  /** Parses a text that arrives in chunks. */
  parseChunks(chunks: readonly string[]): Promise<unknown>;
}

const TOOLS = [{ type: "function" as const, name: "save_chart", inputSchema: { type: "object" as const } }];

/** Creates the peer's parser for `<tool_call>` texts. */
export function createHermesPeer(): PeerParser {
  const protocol = hermesProtocol();
  return {
    parseText: (text) => protocol.parseGeneratedText({ text, tools: TOOLS }),
    async parseChunks(chunks) {
      const transform = protocol.createStreamParser({ tools: TOOLS });
      const writer = transform.writable.getWriter();
      const partCount = countParts(transform.readable);
      await writer.write({ type: "text-start", id: "0" });
      for (const delta of chunks) await writer.write({ type: "text-delta", id: "0", delta });
      await writer.write({ type: "text-end", id: "0" });
      await writer.close();
      return await partCount;
    },
  };
}

/** Reads the stream to its end. */
async function countParts(readable: ReadableStream<unknown>): Promise<number> {
  let parts = 0;
  for await (const _ of readable) parts += 1;
  return parts;
}
