import { describe, expect, it } from "@jest/globals";
import type { JsonObject } from "../../../../src/core/messages.ts";
import { type ChatRequest, copyRequest } from "../../../../src/core/requests.ts";
import { readChatRequest } from "../../../../src/server/apis/chatCompletions/readChatRequest.ts";
import { LIMITS } from "../../../support/defaults.ts";
import { haveOneShape } from "../../../support/shapes.ts";
import { ASK } from "../../../support/testApp.ts";

const TOOLS = [{ type: "function", function: { name: "look" } }];

async function read(fields: JsonObject): Promise<ChatRequest> {
  const caller = { name: "one", can: ["ask"] } as const;
  const context = { id: "r", caller, wishes: {}, limits: LIMITS, gatewayTools: false, routeFields: [] };
  return (await readChatRequest({ ...ASK, ...fields }, context)).chat;
}

describe("a chat request", () => {
  it("has one shape, whatever its body says and whatever is changed of it", async () => {
    const plain = await read({});
    const full = await read({ tools: TOOLS, tool_choice: "auto", stream: true, temperature: 0.5, user: "ann" });
    expect(haveOneShape(plain, full)).toBe(true);
    expect(haveOneShape(plain.sampling, full.sampling)).toBe(true);
    expect(haveOneShape(plain.tools, full.tools)).toBe(true);
    const { tools, ahead } = full;
    expect(haveOneShape(plain, copyRequest(full, { messages: [], tools, ahead }))).toBe(true);
  });

  it("keeps what is not changed of it", async () => {
    const full = await read({ tools: TOOLS, stop: "END", user: "ann" });
    const changed = copyRequest(full, { messages: [], tools: full.tools, ahead: full.ahead });
    expect(changed).toEqual({ ...full, messages: [] });
  });
});
