// Calls of a server's tools, as a real process behind a gateway: what comes back, how long it is waited for, and what the server is told of those that are given up.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import {
  everythingCommand,
  makePlace,
  type Place,
  type Served,
  startServed,
  toyCommand,
  until,
} from "../../support/mcp/mcpGateway.ts";

let place: Place;
let served: Served;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await served.close();
  place.remove();
});

async function start(lines = "", options: Parameters<typeof startServed>[2] = {}): Promise<void> {
  const toy = `  - id: toy\n    type: mcp\n    command: ${toyCommand(place)}\n${lines}`;
  served = await startServed(place, toy, options);
}

async function logged(pattern: RegExp): Promise<void> {
  await until(() => place.log().some((line) => pattern.test(line)));
}

function call(tool: string, args: object = {}) {
  return { name: `toy.${tool}`, arguments: args };
}

describe("the result of a call", () => {
  it("is the data where the server sends it beside a text", async () => {
    await start();
    expect(await served.call(call("data"))).toEqual(['{"tide":4}']);
  });

  it("is an error in the server's words where its tool failed", async () => {
    await start();
    expect(await served.call(call("fail"))).toEqual(["Error: there is no such port"]);
  });

  it("names content that has no form here, and gives the text of a resource", async () => {
    place.tell("tools", "strange");
    await start();
    expect(await served.call(call("strange"))).toEqual(["[content of the type hologram]\n[a://b]\ninside"]);
  });

  it("shows a model that sees its images, and words of them", async () => {
    served = await startServed(place, `  - id: toy\n    type: mcp\n    command: ${everythingCommand("stdio")}\n`);
    const [text] = await served.call(call("get-tiny-image"));
    expect(text).toMatch(/\[image\/png, \d+ KB\]/);
    expect(JSON.stringify(served.upstream.requests.at(-1)?.body.messages)).toContain("data:image/png;base64,");
  });

  it("is a question for a person where it fits a need", async () => {
    const needs = "{ which: { when: { properties: { tide: { const: 4 } } }, message: Which tide? } }";
    await start(`    actions: [{ id: data, interrupts: ${needs} }]\n`);
    const answer = await served.ask(call("data"));
    expect(JSON.stringify(answer.choices[0]?.message.tool_calls)).toContain("Which tide?");
  });
});

describe("the program of a server", () => {
  it("has nothing of the gateway's environment but what is passed on", async () => {
    await start('    env: { COLOUR: "${env.SHADE}", LEVEL: high }\n', { env: { SHADE: "teal", SECRET: "x" } });
    const [environment = ""] = await served.call(call("env"));
    expect(Object.keys(JSON.parse(environment)).sort()).toEqual(["COLOUR", "LEVEL", "PATH"]);
    expect(JSON.parse(environment)).toMatchObject({ COLOUR: "teal" });
  });

  it("has its secrets taken out of what it says", async () => {
    await start("    env: [API_TOKEN]\n", { env: { API_TOKEN: "tok-4711-abcdef" } });
    expect(await served.call(call("env"))).toEqual([expect.stringContaining("[redacted]")]);
  });
});

describe("a call that takes long", () => {
  it("goes on for as long as the server tells of progress", async () => {
    await start("    timeout_ms: 300\n");
    expect(await served.call(call("work", { ms: 900 }))).toEqual(["worked"]);
  });

  it("is given up where nothing is said, and taken back at the server; its late answer is nobody's", async () => {
    await start("    timeout_ms: 300\n");
    const [result] = await served.call(call("late", { word: "a", ms: 600 }));
    expect(result).toMatch(
      /^Error: the server `toy` said nothing for 300 ms; whether the call had an effect is not known/,
    );
    await logged(/^cancelled/);
    expect(await served.call(call("late", { word: "b", ms: 250 }))).toEqual(["late: b"]);
    expect(served.observed.filter((one) => one.type === "tool-server" && one.state === "ignored")).toEqual([]);
  });

  it("is given up at its longest time, however much progress is told", async () => {
    await start("    timeout_ms: 300\n    max_timeout_ms: 700\n");
    const [result] = await served.call(call("work", { ms: 60_000 }));
    expect(result).toMatch(/^Error: the tool took longer than 700 ms/);
    await logged(/^cancelled/);
  });

  it("is taken back at the server where its client leaves", async () => {
    await start();
    const leaving = new AbortController();
    const asked = served.askUntil(leaving.signal, call("late", { word: "a", ms: 60_000 }));
    await logged(/^called late/);
    leaving.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    await logged(/^cancelled/);
  });
});
