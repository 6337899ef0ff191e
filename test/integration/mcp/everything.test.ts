// The reference server of the protocol as a real process, over its standard streams and over HTTP, serving agents in both ways of asking.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { everythingCommand, makePlace, type Place, type Served, startServed } from "../../support/mcp/mcpGateway.ts";

let place: Place;
let served: Served | undefined;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await served?.close();
  served = undefined;
  place.remove();
});

describe("over standard streams", () => {
  beforeEach(async () => {
    served = await startServed(place, `  - id: all\n    type: mcp\n    command: ${everythingCommand("stdio")}\n`);
  });

  it("serves a model that calls natively", async () => {
    const results = await served?.call(
      { name: "all.echo", arguments: { message: "hello" } },
      { name: "all.get-sum", arguments: { a: 2, b: 40 } },
      { name: "all.get-structured-content", arguments: { location: "New York" } },
    );
    expect(results?.[0]).toBe("Echo: hello");
    expect(results?.[1]).toMatch(/42/);
    expect(JSON.parse(results?.[2] ?? "")).toMatchObject({ temperature: expect.any(Number) });
  });

  it("serves a model that writes its calls", async () => {
    expect(await served?.write({ name: "all.echo", arguments: { message: "hello" } })).toContain("Echo: hello");
  });
});
