// What a run has of servers that list their tools while the gateway runs: all of one, one by name, and what it began with.
import { describe, expect, it } from "@jest/globals";
import type { AgentTool } from "../../../../src/core/config/configuration.ts";
import type { Tool } from "../../../../src/tools/Tool.ts";
import type { ToolSource } from "../../../../src/tools/ToolSource.ts";
import { AGENT, chat, gateway, listOf, never, tool } from "../../../support/agents/gateway.ts";
import { collect } from "../../../support/events.ts";
import { calls, ScriptedModel, says } from "../../../support/ScriptedModel.ts";

const READ = { name: "files.read", arguments: '{"q":"a"}' };

/** A server whose list can be changed. */
class FakeServer implements ToolSource {
  readonly server = "files";
  hasChanged = true;
  outage: string | undefined;
  tools: readonly Tool[];

  constructor(...tools: readonly Tool[]) {
    this.tools = tools;
  }

  async list(): Promise<readonly Tool[]> {
    return this.tools;
  }
}

const read = () => tool("files.read", () => "the text");
const write = () => tool("files.write", () => "written");
const ALL: AgentTool = { tool: "files", server: "files" };
const WRITE: AgentTool = { tool: "files.write", server: "files" };

function testGateway(source: ToolSource, model: ScriptedModel, ...tools: readonly AgentTool[]) {
  return gateway(model, { source, agents: [{ ...AGENT, tools }] });
}

function offered(model: ScriptedModel): readonly (readonly string[])[] {
  return model.requests.map(({ tools }) => tools.map(({ name }) => name));
}

describe("AgentToolset: a server among the tools of an agent", () => {
  it("stands for all that it lists when a run is planned", async () => {
    const server = new FakeServer(read());
    const model = new ScriptedModel(says("One."), says("Two."));
    const { runner } = testGateway(server, model, ALL);
    await listOf(runner.run({ chat: chat() }, never));
    server.tools = [read(), write()];
    await listOf(runner.run({ chat: chat() }, never));
    expect(offered(model)).toEqual([["files.read"], ["files.read", "files.write"]]);
  });

  it("is shown with the same specs again, since much is kept by them", async () => {
    const server = new FakeServer(read());
    const model = new ScriptedModel(says("One."), says("Two."));
    const { runner } = testGateway(server, model, { ...ALL, approval: { type: "always" } });
    await listOf(runner.run({ chat: chat() }, never));
    await listOf(runner.run({ chat: chat() }, never));
    expect(model.requests[1]?.tools[0]).toBe(model.requests[0]?.tools[0]);
  });

  it("leaves a run the tools that it began with, though it drops them meanwhile and others are planned", async () => {
    const server = new FakeServer();
    const model = new ScriptedModel(calls(READ), says("Other."), calls({ ...READ, arguments: "{}" }), says("Done."));
    const { runner } = testGateway(server, model, ALL);
    server.tools = [
      tool("files.read", async () => {
        if (server.tools.length === 0) return "again";
        server.tools = [];
        await listOf(runner.run({ chat: chat({ id: "other" }) }, never));
        return "first";
      }),
    ];
    const result = await collect(runner.run({ chat: chat() }, never));
    expect(result).toMatchObject({ text: "Done.", outcome: "answered" });
    expect(offered(model)).toEqual([["files.read"], [], ["files.read"], ["files.read"]]);
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe("again");
  });

  it("brings nothing while it is down, and the run goes on without it", async () => {
    const server = new FakeServer();
    server.outage = "it ended with exit code 1.";
    const model = new ScriptedModel(says("Without."));
    const { runner } = testGateway(server, model, ALL);
    expect(await collect(runner.run({ chat: chat() }, never))).toMatchObject({ text: "Without." });
    expect(offered(model)).toEqual([[]]);
  });
});

describe("AgentToolset: one tool of a server", () => {
  async function failureWith(server: FakeServer) {
    const { runner } = testGateway(server, new ScriptedModel(), WRITE);
    const [event] = await listOf(runner.run({ chat: chat() }, never));
    return event;
  }

  it("that it does not offer is refused by name, with what it offers", async () => {
    const event = await failureWith(new FakeServer(read()));
    expect(event).toMatchObject({
      type: "turn-failed",
      failure: {
        code: "invalid_configuration",
        message: expect.stringMatching(
          /server `files` does not offer the tool `files\.write`; it offers files\.read\./,
        ),
      },
    });
  });

  it("that is down is refused as what may be there later, with the reason", async () => {
    const server = new FakeServer();
    server.outage = "it ended with exit code 1.";
    expect(await failureWith(server)).toMatchObject({
      failure: {
        code: "upstream_unavailable",
        message: expect.stringMatching(/server `files`, which is down: it ended with exit code 1\./),
      },
    });
  });

  it("may have a name of the agent's", async () => {
    const model = new ScriptedModel(says("Yes."));
    const { runner } = testGateway(new FakeServer(read(), write()), model, { ...WRITE, name: "save" });
    await listOf(runner.run({ chat: chat() }, never));
    expect(offered(model)).toEqual([["save"]]);
  });
});
