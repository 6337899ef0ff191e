// The official client of the vendor against the fake, so that the fake is honest: what it says is read as Google's own.

import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from "@google/genai";
import { afterEach, describe, expect, it } from "@jest/globals";
import { GEMINI_KEY, GeminiServer, type GeminiTurn } from "../../../support/servers/GeminiServer.ts";

let server: GeminiServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function clientOf(turn: GeminiTurn, apiKey = GEMINI_KEY): Promise<GoogleGenAI> {
  server = await GeminiServer.start(() => turn);
  const baseUrl = server.baseUrl.replace(/\/v1beta$/, "");
  // The test runner's own world has no dispatcher of undici, which the client asks for where it is given no `fetch`.
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl, apiVersion: "v1beta", fetch } });
}

const TIDE = {
  name: "lookup_tide",
  description: "Says the tide.",
  parametersJsonSchema: { type: "object", properties: { port: { type: "string" } }, required: ["port"] },
};
const CALLS: GeminiTurn = {
  events: [
    [{ text: "Let me look.", thought: true }],
    [{ text: "Both at once." }],
    [{ functionCall: { id: "fc-1", name: "lookup_tide", args: { port: "Oslo" } }, thoughtSignature: "c2lnLTE=" }],
    [{ functionCall: { id: "fc-2", name: "lookup_tide", args: { port: "Bergen" } } }],
  ],
};
const model = "gemini-3-flash-preview";

describe("Google's own client", () => {
  it("reads a text whole", async () => {
    const client = await clientOf({ events: [[{ text: "High " }], [{ text: "tide." }]] });
    const answer = await client.models.generateContent({ model, contents: "What is it?" });
    expect(answer.text).toBe("High tide.");
    expect(answer.usageMetadata?.totalTokenCount).toBe(18);
  });

  it("reads a text streamed, in pieces of seven bytes", async () => {
    const client = await clientOf({ events: [[{ text: "Hoch" }], [{ text: "wässer" }]], bytes: 7 });
    let text = "";
    for await (const chunk of await client.models.generateContentStream({ model, contents: "What is it?" }))
      text += chunk.text ?? "";
    expect(text).toBe("Hochwässer");
  });

  it("reads parallel calls, thoughts and signatures", async () => {
    const client = await clientOf(CALLS);
    const config = {
      tools: [{ functionDeclarations: [TIDE] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
    };
    const answer = await client.models.generateContent({ model, contents: "Tides?", config });
    expect(answer.functionCalls?.map(({ id, args }) => [id, args])).toEqual([
      ["fc-1", { port: "Oslo" }],
      ["fc-2", { port: "Bergen" }],
    ]);
    const parts = answer.candidates?.[0]?.content?.parts ?? [];
    expect(parts.filter(({ thought }) => thought).map(({ text }) => text)).toEqual(["Let me look."]);
    expect(parts.find(({ functionCall }) => functionCall)?.thoughtSignature).toBe("c2lnLTE=");
  });

  it("takes its own history back, and is refused it without the signature or with a result too few", async () => {
    const client = await clientOf(CALLS);
    const config = { tools: [{ functionDeclarations: [TIDE] }] };
    const first = await client.models.generateContent({ model, contents: "Tides?", config });
    const asked = { role: "user", parts: [{ text: "Tides?" }] };
    const called = first.candidates?.[0]?.content ?? {};
    const result = (id: string) => ({ functionResponse: { id, name: "lookup_tide", response: { result: "high" } } });
    const told = { role: "user", parts: [result("fc-1"), result("fc-2")] };
    const next = await client.models.generateContent({ model, contents: [asked, called, told], config });
    expect(next.functionCalls).toHaveLength(2);

    const unsigned = { ...called, parts: called.parts?.map(({ thoughtSignature: _, ...part }) => part) ?? [] };
    await expect(client.models.generateContent({ model, contents: [asked, unsigned, told], config })).rejects.toThrow(
      /missing a thought_signature/,
    );
    const short = { role: "user", parts: [result("fc-1")] };
    await expect(client.models.generateContent({ model, contents: [asked, called, short], config })).rejects.toThrow(
      /number of function response parts/,
    );
  });

  it("lists the models", async () => {
    const client = await clientOf({ events: [] });
    const names: (string | undefined)[] = [];
    for await (const { name } of await client.models.list({ config: { pageSize: 100 } })) names.push(name);
    expect(names).toContain("models/gemini-3-flash-preview");
    expect(names).toContain("models/text-embedding-004");
  });

  it.each([
    ["a wrong key", "AIza-wrong", "gemini-3-flash-preview", 400, /API key not valid/],
    ["a model that there is not", GEMINI_KEY, "gemini-0", 404, /not found for API version/],
  ])("throws for %s", async (_, key, asked, status, message) => {
    const client = await clientOf({ events: [] }, key);
    const thrown = await client.models.generateContent({ model: asked, contents: "Hi" }).catch((error) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown.status).toBe(status);
    expect(thrown.message).toMatch(message);
  });

  it("throws for a field that there is not", async () => {
    const client = await clientOf({ events: [] });
    const config = { httpOptions: { extraBody: { frobnicate: true } } };
    await expect(client.models.generateContent({ model, contents: "Hi", config })).rejects.toThrow(
      /Unknown name .*frobnicate.*Cannot find field/,
    );
  });
});
