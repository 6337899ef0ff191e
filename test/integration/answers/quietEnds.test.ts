// What an answer that nobody broke off leaves behind of its signals: no error is made on its way.

import { afterAll, afterEach, beforeAll, expect, it, jest } from "@jest/globals";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

let upstream: FakeUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await FakeUpstream.start(({ body }, response) => {
    if ("stream" in body && body.stream === true) return sendText(response, "High water is at nine.");
    const choices = [{ index: 0, message: { role: "assistant", content: "At nine." }, finish_reason: "stop" }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "a", object: "chat.completion", created: 1, model: "m", choices }));
  });
  gateway = await startGateway({ config: configFor(upstream.baseUrl) });
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** Not by the SDK, which has signals of its own. */
async function ask(wish: { readonly stream: boolean }): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "When?" }], ...wish }),
  });
  return await response.text();
}

it.each([{ stream: false }, { stream: true }])("no signal is aborted without a reason: %j", async (wish) => {
  // At the first sight of a model more is done than for each request.
  await ask(wish);
  const unreasoned: unknown[] = [];
  const { abort } = AbortController.prototype;
  jest.spyOn(AbortController.prototype, "abort").mockImplementation(function (this: AbortController, reason) {
    if (reason === undefined) unreasoned.push(new Error("Who aborted?").stack);
    abort.call(this, reason);
  });
  expect(await ask(wish)).toContain("nine");
  expect(unreasoned).toEqual([]);
});
