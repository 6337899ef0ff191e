// The whole gateway before the fake of Anthropic's API, and the official OpenAI client before both.
import type OpenAI from "openai";
import { ANTHROPIC_KEY, AnthropicServer, type Reply } from "./servers/AnthropicServer.ts";
import type { MessagesRequest } from "./servers/anthropicRequest.ts";
import { configFor, type RunningGateway, startGateway } from "./startGateway.ts";

export interface House {
  readonly server: AnthropicServer;
  readonly gateway: RunningGateway;
  readonly openai: OpenAI;
  close(): Promise<void>;
}

export async function startHouse(
  reply: (request: MessagesRequest, at: number) => Reply,
  { attempts = 1, baseUrl }: { readonly attempts?: number; readonly baseUrl?: string } = {},
): Promise<House> {
  const server = await AnthropicServer.start(reply);
  const config = configFor(baseUrl ?? server.baseUrl);
  const upstreams = config.upstreams.map(
    (upstream) => ({ ...upstream, wire: "anthropic", apiKey: ANTHROPIC_KEY }) as const,
  );
  const gateway = await startGateway({
    config: {
      ...config,
      upstreams,
      retries: { attempts, minWaitMs: 1, maxWaitMs: 10 },
    } as typeof config,
  });
  return {
    server,
    gateway,
    openai: gateway.client(),
    close: async () => {
      await gateway.close();
      await server.close();
    },
  };
}
