// Client libraries, unchanged, play their whole loops through the gateway against models of bad manners.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, providerStrategy, tool } from "langchain";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { z } from "zod";
import { answerAsPersona, PERSONAS, REPORT, RESULT } from "../../support/clients/personas.ts";
import { pythonWithClients } from "../../support/clients/pythonWithClients.ts";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { configFor, type RunningGateway, startGateway } from "../../support/startGateway.ts";

const MODELS = Object.keys(PERSONAS);
const QUESTION = "How warm is it in Oslo? Use the tool.";
const Report = z.object({ city: z.string(), degrees: z.number().int() });
const WeatherInput = z.object({ city: z.string(), days: z.number().int() });
const MINUTE = 60_000;

let upstream: FakeUpstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await FakeUpstream.start(answerAsPersona);
  const react = { match: ["react-*"], emulate: "react-text", why: "The test's model writes labelled text." };
  gateway = await startGateway({ config: { ...configFor(upstream.baseUrl), operatorModels: [react] } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

describe("Python clients", () => {
  let python: string;
  beforeAll(async () => {
    python = await pythonWithClients();
  }, 10 * MINUTE);

  describe.each(MODELS)("on %s", (model) => {
    it.each([
      ["smolagents", RESULT],
      ["smolagents-streamed", RESULT],
      ["pydantic-ai", REPORT],
      ["pydantic-ai-streamed", REPORT],
      ["langchain", REPORT],
      ["openai", REPORT],
      ["openai-streamed", REPORT],
    ])(
      "%s completes its loop",
      async (client, expected) => {
        const { stdout } = await promisify(execFile)(
          python,
          [`${import.meta.dirname}/clients.py`, client, `${gateway.url}/v1`, model],
          { timeout: MINUTE },
        );
        const last = stdout.trim().split("\n").at(-1) ?? "";
        expect(JSON.parse(last)).toEqual({ answer: expected, used: [["Oslo", 1]] });
      },
      MINUTE,
    );
  });
});

describe.each(MODELS)("JavaScript clients on %s", (model) => {
  it.each([false, true])(
    "LangChain's agent with a provider strategy completes its loop, streamed: %s",
    async (streamed) => {
      const used: unknown[] = [];
      const weather = tool(
        (input) => {
          used.push(input);
          return RESULT;
        },
        { name: "get_weather", description: "The weather of a city.", schema: WeatherInput },
      );
      const asked = new ChatOpenAI({
        model,
        apiKey: "none",
        maxRetries: 0,
        configuration: { baseURL: `${gateway.url}/v1` },
      });
      const agent = createAgent({ model: asked, tools: [weather], responseFormat: providerStrategy(Report) });
      const question = { messages: [{ role: "user" as const, content: QUESTION }] };
      if (streamed) {
        const tokens: string[] = [];
        let structured: unknown;
        for await (const [mode, part] of await agent.stream(question, { streamMode: ["messages", "values"] })) {
          if (mode === "messages") tokens.push(part[0].text);
          else structured = part.structuredResponse ?? structured;
        }
        expect(structured).toEqual(REPORT);
        expect(tokens.join("")).not.toMatch(/<|Action|Thought/);
      } else expect((await agent.invoke(question)).structuredResponse).toEqual(REPORT);
      expect(used).toEqual([{ city: "Oslo", days: 1 }]);
    },
    MINUTE,
  );

  it.each([false, true])(
    "openai's parse with tools completes its loop, streamed: %s",
    async (streamed) => {
      const messages: ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION }];
      const { completions } = gateway.client().chat;
      for (let turn = 0; turn < 4; turn += 1) {
        const request = {
          model,
          messages,
          tools: [
            zodFunction({ name: "get_weather", parameters: WeatherInput, description: "The weather of a city." }),
          ],
          response_format: zodResponseFormat(Report, "report"),
        };
        const answer = streamed
          ? await completions.stream(request).finalChatCompletion()
          : await completions.parse(request);
        const message = answer.choices[0]?.message;
        const calls = message?.tool_calls ?? [];
        if (calls.length === 0) {
          expect(message?.parsed).toEqual(REPORT);
          return;
        }
        expect(message?.content).toBeNull();
        messages.push({ role: "assistant", content: null, tool_calls: calls });
        for (const call of calls) {
          if (call.type !== "function") throw new Error(`a call of type ${call.type}`);
          expect(call.function.parsed_arguments).toEqual({ city: "Oslo", days: 1 });
          messages.push({ role: "tool", tool_call_id: call.id, content: RESULT });
        }
      }
      throw new Error("no answer after four turns");
    },
    MINUTE,
  );
});
