// @ai-sdk-tool/parser's hermes protocol behind two functions, Knows nothing of our parser.
import { hermesProtocol } from "@ai-sdk-tool/parser";

export interface Peer {
  whole(text: string): unknown;
  streamed(chunks: readonly string[]): Promise<unknown>;
}

const TOOLS = [{ type: "function" as const, name: "save_chart", inputSchema: { type: "object" as const } }];

export function hermesPeer(): Peer {
  const protocol = hermesProtocol();
  return {
    whole: (text) => protocol.parseGeneratedText({ text, tools: TOOLS }),
    async streamed(chunks) {
      const transform = protocol.createStreamParser({ tools: TOOLS });
      const writer = transform.writable.getWriter();
      const reading = drain(transform.readable);
      await writer.write({ type: "text-start", id: "0" });
      for (const delta of chunks) await writer.write({ type: "text-delta", id: "0", delta });
      await writer.write({ type: "text-end", id: "0" });
      await writer.close();
      return await reading;
    },
  };
}

async function drain(readable: ReadableStream<unknown>): Promise<number> {
  let parts = 0;
  for await (const _ of readable) parts += 1;
  return parts;
}
