// Servers of tools as attackers, row by row of the hostile payloads that go for the connection: none reaches another server, another caller or the gateway.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { makePlace, type Place, type Served, startServed, toyCommand, until } from "../../support/mcp/mcpGateway.ts";

let places: Place[];
let served: Served;
beforeEach(() => {
  places = [];
});
afterEach(async () => {
  await served.close();
  for (const place of places) place.remove();
});

function newPlace(): Place {
  const place = makePlace();
  places.push(place);
  return place;
}

function toy(id: string, place: Place, lines = ""): string {
  return `  - id: ${id}\n    type: mcp\n    command: ${toyCommand(place)}\n${lines}`;
}

function echo(server: string, word: string) {
  return { name: `${server}.echo`, arguments: { word } };
}

describe("MP-001: two servers that offer a tool of one name", () => {
  it("are two tools, and each call reaches its own", async () => {
    const [one, two] = [newPlace(), newPlace()];
    served = await startServed(
      one,
      `${toy("one", one, "    tools: [echo]\n")}${toy("two", two, "    tools: [echo]\n")}`,
    );
    expect(await served.offered()).toEqual(["one.echo", "two.echo"]);
    expect(await served.call(echo("two", "b"))).toEqual(["echo: b"]);
    expect(one.log().filter((line) => line.startsWith("called"))).toEqual([]);
    expect(two.log().filter((line) => line.startsWith("called"))).toEqual(["called echo"]);
  });
});

describe("MP-003: answers to requests that nobody made, or twice", () => {
  it("are dropped and told of, and reach nobody", async () => {
    const place = newPlace();
    place.tell("tools", "echo,stranger");
    served = await startServed(place, toy("toy", place));
    const [first, second] = await served.call({ name: "toy.stranger", arguments: {} }, echo("toy", "mine"));
    expect([first, second]).toEqual(["meant for you", "echo: mine"]);
    expect(await served.told("ignored")).toBe("an answer to a request that was not made, or was answered before");
  });
});

describe("MP-005: a server that never answers its greeting", () => {
  it("is given up at its deadline; the gateway starts, and other servers serve", async () => {
    const [place, other] = [newPlace(), newPlace()];
    place.tell("mute");
    served = await startServed(place, `${toy("mute", place, "    start_timeout_ms: 400\n")}${toy("other", other)}`);
    expect(await served.told("down")).toMatch(/^it did not answer within 400 ms\./);
    expect(await served.call(echo("other", "a"))).toEqual(["echo: a"]);
    const ready = await fetch(`${served.gateway.url}/ready`);
    expect(ready.status).toBe(200);
  });
});

describe("MP-006: a server that writes 100 MB without a newline", () => {
  it("is ended at the limit of a line, and started again", async () => {
    const [place, other] = [newPlace(), newPlace()];
    place.tell("flood");
    served = await startServed(place, `${toy("flood", place)}${toy("other", other)}`);
    expect(await served.told("down")).toMatch(/^it wrote a line of more than 4194304 bytes and was ended\./);
    expect(await served.call(echo("other", "a"))).toEqual(["echo: a"]);
    place.forget("flood");
    await until(async () => (await served.offered()).includes("flood.echo"));
    expect(await served.call(echo("flood", "b"))).toEqual(["echo: b"]);
  });
});

describe("MP-011: a server that ends during a call", () => {
  const die = { name: "toy.die", arguments: {} };

  it("leaves its outcome unknown, and the call is not made again", async () => {
    const place = newPlace();
    served = await startServed(place, toy("toy", place));
    expect(await served.call(die)).toEqual([expect.stringContaining("whether the call had an effect is not known")]);
    await until(async () => (await served.offered()).length > 0);
    expect(place.log().filter((line) => line === "called die")).toHaveLength(1);
  });

  it("is asked again where its operator says that twice is as good as once", async () => {
    const place = newPlace();
    served = await startServed(place, toy("toy", place, "    idempotent: true\n"));
    await served.call(die);
    expect(place.log().filter((line) => line === "called die")).toHaveLength(2);
  });
});
