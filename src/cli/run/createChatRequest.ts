// Builds the chat request for a text from the terminal.
import { type ChatRequest, LOCAL_CALLER } from "../../core/requests.ts";

/** A request with a single question; everything else is left to the agent. */
export function createChatRequest(text: string, model: string, id: string): ChatRequest {
  return {
    id,
    caller: LOCAL_CALLER,
    model,
    messages: text === "" ? [] : [{ role: "user", content: text }],
    tools: [],
    toolChoice: { type: "auto" },
    sampling: {},
    output: { type: "text" },
    stream: true,
    passthrough: {},
  };
}
