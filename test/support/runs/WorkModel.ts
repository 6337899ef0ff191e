// A model that calls the tools that it is told to, and a reading one beside them, and then says that it is done. Streams.

import type { ServerResponse } from "node:http";
import { chunk, FakeUpstream, type UpstreamRequest } from "../FakeUpstream.ts";
import type { Points } from "./Points.ts";

/** The user's message is `TOOL WHAT` or `TOOL+TOOL WHAT`. */
export function startWorkModel(points: Points): Promise<FakeUpstream> {
  return FakeUpstream.start((request, response) => {
    void answer(request, response, points).catch(() => response.destroy());
  });
}

async function answer({ body }: UpstreamRequest, response: ServerResponse, points: Points): Promise<void> {
  const results = body.messages.filter(({ role }) => role === "tool");
  const turn = results.length === 0 ? "first" : "second";
  const asked = body.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const [tools = ""] = asked.split(" ", 1);
  const what = asked.slice(tools.length + 1);
  await points.at(`${turn} turn asked`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk("On it. "));
  await points.at(`${turn} turn half told`);
  const calls = [...tools.split("+").map((name) => callOf(name, what)), callOf("read", `side-${what}`)];
  if (turn === "first") response.write(called(calls));
  else response.write(chunk("Done."));
  response.write(chunk("", turn === "first" ? "tool_calls" : "stop"));
  response.end("data: [DONE]\n\n");
  await points.at(`${turn} turn told`);
}

function callOf(name: string, of: string): object {
  return { name, arguments: JSON.stringify(argumentsFor(name, of)) };
}

function argumentsFor(name: string, of: string): object {
  if (name === "ask_user") return { question: "Which?", options: ["this", "that"] };
  return name === "save_memory" ? { fact: of } : { of };
}

function called(functions: readonly object[]): string {
  const list = functions.map((one, index) => ({ index, id: `call_${index}`, type: "function", function: one }));
  const choices = [{ index: 0, delta: { tool_calls: list }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}
