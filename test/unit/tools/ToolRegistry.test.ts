// The registry: which names it takes, how it looks them up, and what becomes of it when a source changes.
import { describe, expect, it } from "@jest/globals";
import { createFailure, PostelError } from "../../../src/core/failures.ts";
import type { Tool } from "../../../src/tools/Tool.ts";
import { ToolRegistry } from "../../../src/tools/ToolRegistry.ts";
import { createFixedSource, type ToolSource } from "../../../src/tools/ToolSource.ts";
import { toolOf } from "../../support/toolFixtures.ts";

const never = new AbortController().signal;
const tool = (name: string) => toolOf(name, async () => "done");

async function registryOf(...lists: readonly (readonly Tool[])[]): Promise<ToolRegistry> {
  const registry = new ToolRegistry(lists.map(createFixedSource));
  await registry.refresh(never);
  return registry;
}

/** A source whose tools a test changes; it counts how often it is asked. */
class ChangingSource implements ToolSource {
  hasChanged = false;
  asked = 0;
  tools: readonly Tool[];

  constructor(...tools: readonly Tool[]) {
    this.tools = tools;
  }

  become(...tools: readonly Tool[]): void {
    this.tools = tools;
    this.hasChanged = true;
  }

  async list(): Promise<readonly Tool[]> {
    this.asked += 1;
    this.hasChanged = false;
    return this.tools;
  }
}

describe("ToolRegistry: a tool registry", () => {
  it("finds the tools of all sources by their names, and selects them in the order asked for", async () => {
    const registry = await registryOf([tool("a"), tool("b.c:d/e-f_9")], [tool("z")]);
    expect(registry.get("a")?.spec.name).toBe("a");
    expect(registry.select(["z", "a"]).map(({ spec }) => spec.name)).toEqual(["z", "a"]);
  });

  it.each(["constructor", "__proto__", "toString", "A", ""])("does not find %p, which nobody listed", async (name) => {
    expect((await registryOf([tool("a")])).get(name)).toBeUndefined();
  });

  it.each([
    ["of one source", [[tool("a"), tool("a")]]],
    ["of two sources", [[tool("a")], [tool("a")]]],
  ])("refuses two tools of one name, %s", async (_whose, lists) => {
    await expect(registryOf(...lists)).rejects.toThrow("Two tools are called `a`");
  });

  it.each(["", "a b", "a\n", "é", "a`", "x".repeat(129)])("refuses the name %p", async (name) => {
    await expect(registryOf([tool(name)])).rejects.toThrow("is not 1–128 letters");
  });

  it("names the tools there are when one is selected that is not there", async () => {
    const registry = await registryOf([tool("a"), tool("b")]);
    expect(() => registry.select(["a", "c"])).toThrow(
      expect.objectContaining({
        message: "No tool is called `c`; there are: a, b.",
        failure: expect.objectContaining({ code: "invalid_configuration" }),
      }),
    );
  });
});

describe("ToolRegistry: a registry whose source changes", () => {
  it("has the new tools once it is refreshed, and asks nobody whose tools are as they were", async () => {
    const [changing, still] = [new ChangingSource(tool("a")), new ChangingSource(tool("z"))];
    const registry = new ToolRegistry([changing, still]);
    await registry.refresh(never);
    changing.become(tool("b"));
    expect(registry.get("a")).toBeDefined();
    await registry.refresh(never);
    await registry.refresh(never);
    expect(registry.get("a")).toBeUndefined();
    expect(registry.select(["b", "z"])).toHaveLength(2);
    expect([changing.asked, still.asked]).toEqual([2, 1]);
  });

  it("keeps the tools it had where the new ones cannot be taken, and refreshes the others", async () => {
    const [clashing, fine] = [new ChangingSource(tool("a")), new ChangingSource(tool("z"))];
    const registry = new ToolRegistry([clashing, fine]);
    await registry.refresh(never);
    clashing.become(tool("b"), tool("z"));
    fine.become(tool("z"), tool("y"));
    await expect(registry.refresh(never)).rejects.toThrow("Two tools are called `z`");
    expect(registry.select(["a", "z", "y"])).toHaveLength(3);
    expect(registry.get("b")).toBeUndefined();
  });

  it("keeps the tools it had where the source cannot tell, and asks it again at the next time", async () => {
    const source = new ChangingSource(tool("a"));
    const registry = new ToolRegistry([source]);
    await registry.refresh(never);
    source.hasChanged = true;
    const list = source.list.bind(source);
    source.list = () => Promise.reject(new PostelError(createFailure("upstream_unavailable", "gone")));
    await expect(registry.refresh(never)).rejects.toThrow("gone");
    expect(registry.get("a")).toBeDefined();
    source.tools = [tool("b")];
    source.list = list;
    await registry.refresh(never);
    expect(registry.get("b")).toBeDefined();
  });
});
