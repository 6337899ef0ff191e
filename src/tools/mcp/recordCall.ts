// Passes an MCP call through its interceptor: a recorder, or a recording. Makes no call itself.
import type { JsonObject } from "../../core/messages.ts";
import type { McpCallInterceptor, McpCallResult } from "../../core/tools/mcpCalls.ts";
import { describeError } from "../execution/errorHint.ts";
import type { ServerCall } from "./McpToolFactory.ts";

/** Rejects with the error of the call, if the call was made. */
export async function recordCall(
  { name: tool, args, context }: ServerCall,
  { server, interceptor }: { readonly server: string; readonly interceptor: McpCallInterceptor },
  make: () => Promise<JsonObject>,
): Promise<JsonObject> {
  let thrown: unknown;
  const send = async (): Promise<McpCallResult> => {
    try {
      return { type: "result", result: await make() };
    } catch (error) {
      // The error of an aborted call is not its outcome.
      if (context.signal.aborted) throw error;
      thrown = error;
      return { type: "failed", message: describeError(error) };
    }
  };
  const end = await interceptor({ server, tool, arguments: args, run: context.run }, send);
  if (end.type === "result") return end.result;
  throw thrown ?? new Error(end.message);
}
