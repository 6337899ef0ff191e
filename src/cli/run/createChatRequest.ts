// Builds the chat request for a text from the terminal.
import { type ChatRequest, LOCAL_CALLER } from "../../core/requests.ts";

/** A request with a single question; everything else is left to the agent. */
export function createChatRequest(words: string, model: string, id: string): ChatRequest {
  return {
    id,
    caller: LOCAL_CALLER,
    model,
    messages: words === "" ? [] : [{ role: "user", content: words }],
    tools: [],
    toolChoice: { type: "auto" },
    sampling: {},
    output: { type: "text" },
    stream: true,
    passthrough: {},
  };
}
