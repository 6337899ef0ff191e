// What a session keeps of a run that waited for a person: all that was said, as it was said.

import { afterEach, expect, it } from "@jest/globals";
import { sendText } from "../../support/FakeUpstream.ts";
import { agent, send, startTalk, type Talk, turn } from "../../support/sessions/talk.ts";

let talk: Talk;
afterEach(() => talk.close());

it("sets what was said before a question off from what was said once it was answered", async () => {
  const question = { name: "ask_user", arguments: { question: "Which city?", options: ["Paris", "Rome"] } };
  talk = await startTalk(
    ({ body }, response) => {
      const isTold = body.messages.some(({ role }) => role === "tool");
      sendText(response, isTold ? "Paris it is." : `Let me ask.\n<tool_call>${JSON.stringify(question)}</tool_call>`);
    },
    () => ({ agents: [agent({ tool: "ask_user" })] }),
  );
  await turn(talk, "trip", "Where to?");
  await turn(talk, "trip", "Paris");
  const { body } = await send(`${talk.url}/v1/agent/sessions/trip`, "GET");
  expect(body.messages.at(-1)).toMatchObject({ role: "assistant", content: "Let me ask.\n\nParis it is." });
});
