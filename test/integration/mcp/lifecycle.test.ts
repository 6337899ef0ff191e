// A server of tools from its start to its end, as a real process behind a gateway: what happens to runs when it is slow, silent, broken, changed or gone.
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { makePlace, type Place, type Served, startServed, toyCommand, until } from "../../support/mcp/mcpGateway.ts";

let place: Place;
let served: Served;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await served.close();
  place.remove();
});

function toy(lines = "", id = "toy"): string {
  return `  - id: ${id}\n    type: mcp\n    command: ${toyCommand(place)}\n${lines}`;
}

async function start(lines = "", options: Parameters<typeof startServed>[2] = {}): Promise<void> {
  served = await startServed(place, toy(lines), options);
}

function pid(): number {
  return Number(
    place
      .log()
      .findLast((line) => line.startsWith("started"))
      ?.split(" ")[1],
  );
}

/** Resolves once the toy server has written this down so often. */
async function logged(line: string, times = 1): Promise<void> {
  await until(() => place.log().filter((one) => one.startsWith(line)).length >= times);
}

function isRunning(process_: number): boolean {
  try {
    return process.kill(process_, 0);
  } catch {
    return false;
  }
}

const ECHO = { name: "toy.echo", arguments: { word: "hello" } };

describe("what a server lists", () => {
  it("is read over all its pages, under legal names", async () => {
    await start();
    const names = await served.offered();
    const usual = ["echo", "late", "work", "die", "fail", "data"].map((name) => `toy.${name}`);
    expect(names).toEqual([...usual, expect.stringMatching(/^toy\.page_one_[0-9a-f]{6}$/), "toy.env"]);
  });

  it("is let through as the operator says, each tool or all but some", async () => {
    await start('    tools: [e*, "page *", data]\n    except: [env]\n');
    expect(await served.offered()).toEqual(["toy.echo", "toy.data", expect.stringMatching(/^toy\.page_one_/)]);
  });

  it("is left where it is longer than what is asked for, and the log says so", async () => {
    await start("    limits: { tools: 3 }\n");
    expect(await served.offered()).toEqual(["toy.echo", "toy.late", "toy.work"]);
    expect(await served.told("ignored")).toBe("tools beyond the first 3");
  });

  it("may be one tool of an agent by the server's own name, under the agent's", async () => {
    await start("", { tools: '[{ component: toy, action: "page one", name: page }]' });
    expect(await served.offered()).toEqual(["page"]);
    expect(await served.call({ name: "page", arguments: {} })).toEqual(["spaced"]);
  });

  it("is asked for again before the next run, once the server says that it has changed", async () => {
    place.tell("tools", "echo,data");
    await start();
    expect(await served.offered()).toEqual(["toy.echo", "toy.data"]);
    place.tell("tools", "echo,fail");
    const before = place.log().filter((line) => line === "listed").length;
    process.kill(pid(), "SIGUSR2");
    await until(async () => !(await served.offered()).includes("toy.data"));
    expect(await served.offered()).toEqual(["toy.echo", "toy.fail"]);
    expect(place.log().filter((line) => line === "listed").length).toBe(before + 2);
  });
});

describe("a server in the entry of an agent", () => {
  it("is one of the components, and may be one tool", async () => {
    const inline = `{ type: mcp, command: ${toyCommand(place)} }`;
    served = await startServed(place, toy("", "other"), {
      tools: `[{ component: ${inline}, action: echo, name: say }]`,
    });
    expect(await served.offered()).toEqual(["say"]);
  });
});

describe("a server that cannot be started", () => {
  it("leaves the gateway and other servers as they are, is told of once, and comes when it can", async () => {
    place.tell("broken");
    const twin = makePlace();
    served = await startServed(place, `${toy()}${toy("", "twin").replace(place.folder, twin.folder)}`);
    expect(await served.offered()).toContain("twin.echo");
    expect((await served.offered()).filter((name) => name.startsWith("toy."))).toEqual([]);
    expect(await served.told("down")).toBe("it ended with exit code 3. On standard error: no configuration found");
    await logged("started", 2);
    expect(served.observed.filter((one) => one.type === "tool-server" && one.state === "down")).toHaveLength(1);
    place.forget("broken");
    await until(async () => (await served.offered()).includes("toy.echo"));
    expect(await served.call({ ...ECHO, name: "twin.echo" }, ECHO)).toEqual(["echo: hello", "echo: hello"]);
    twin.remove();
  });

  it("fails the run of an agent that names one of its tools, and says why", async () => {
    place.tell("broken");
    await start("", { tools: "[toy.echo]" });
    const asked = served.ask();
    await expect(asked).rejects.toMatchObject({ status: 502, code: "upstream_unavailable" });
    await expect(asked).rejects.toThrow(/`toy`, which is down: it ended with exit code 3\./);
  });

  it("says so where its agent names a tool that it does not offer", async () => {
    await start("", { tools: "[toy.ecko]" });
    await expect(served.ask()).rejects.toThrow(/server `toy` does not offer the tool `toy\.ecko`; it offers toy\.echo/);
  });
});

describe("a server that ends", () => {
  const DIE = { name: "toy.die", arguments: {} };

  it("leaves the outcome of a call unknown, makes it no second time, and is started again", async () => {
    await start();
    const [result] = await served.call(DIE);
    expect(result).toMatch(/^Error: the server `toy` ended meanwhile; whether the call had an effect is not known\./);
    expect(await served.told("down")).toBe("it ended with exit code 7. On standard error: out of cheese");
    await logged("started", 2);
    await until(async () => (await served.offered()).length > 0);
    expect(await served.call(ECHO)).toEqual(["echo: hello"]);
    expect(place.log().filter((line) => line === "called die")).toHaveLength(1);
  });

  it("is asked once more where the operator says that a call may be made twice", async () => {
    await start("    actions: [{ id: die, idempotent: true }]\n");
    const [result] = await served.call(DIE);
    expect(result).toMatch(/ended meanwhile/);
    expect(place.log().filter((line) => line === "called die")).toHaveLength(2);
  });

  it("ends with the gateway", async () => {
    await start();
    const process_ = pid();
    expect(isRunning(process_)).toBe(true);
    await served.gateway.close();
    expect(isRunning(process_)).toBe(false);
    const { upstream } = served;
    served = { ...served, close: () => upstream.close() };
  });
});
