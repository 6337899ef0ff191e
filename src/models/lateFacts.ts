// What a server says of its models of its own, where nothing of it is loaded before it is wanted. Decides nothing.
import type { ModelWindow } from "./ContextWindows.ts";
import type { ServerFacts, ServerFactsOptions } from "./ServerFacts.ts";

/** A server's word on its models. */
export interface LateFacts {
  /** See `ToolSupport.known`. Absent where the server's wire has nothing beside it. */
  readonly toolSupport?: ((model: string, signal: AbortSignal) => Promise<void> | undefined) | undefined;
  window(model: string): ModelWindow;
}

export function lateFacts(options: ServerFactsOptions): LateFacts {
  let facts: ServerFacts | undefined;
  const load = async (): Promise<ServerFacts> => {
    const { ServerFacts: Facts } = await import("./ServerFacts.ts");
    facts ??= new Facts(options);
    return facts;
  };
  const toolSupport = (model: string, signal: AbortSignal): Promise<void> | undefined =>
    facts ? facts.support?.known(model, signal) : load().then(({ support }) => support?.known(model, signal));
  return {
    toolSupport: options.upstream.wire === "openai" ? toolSupport : undefined,
    window: (model) => ({
      said: () => facts?.windows.of(model).said(),
      ask: async (signal) => (await load()).windows.of(model).ask(signal),
    }),
  };
}
