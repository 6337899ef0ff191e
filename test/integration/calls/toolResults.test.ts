// What a model reads of its tools: results in the order of its calls, cut and read on, errors that help, and no call that fails for ever.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import {
  type LoopSetting,
  type LoopWorld,
  offeredIn,
  runLoopOver,
  type Said,
  startLoop,
} from "../../support/loop/LoopWorld.ts";
import { resultsIn } from "../../support/simulateModel.ts";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the placeholders of components.
const GET = { method: "GET", path: "/items/${input.item}" };
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above.

let world: LoopWorld;
afterEach(() => world.close());

async function begin(model: LoopSetting["model"], more: Partial<LoopSetting> = {}): Promise<void> {
  world = await startLoop({ model, actions: { get: GET }, ...more });
}

function get(...items: readonly string[]): Said {
  return items.map((item) => ({ name: "get", args: { item } }));
}

/** Characters that differ along the text, so that a piece says where it was taken from. */
function longText(chars: number): string {
  const lines = Array.from({ length: Math.ceil(chars / 10) }, (_, line) => `${String(line).padStart(9, "0")}\n`);
  return lines.join("").slice(0, chars);
}

function read(args: { readonly call_id: string; readonly offset: number }): Said {
  return [{ name: "read_result", args }];
}

/** Where the last result says that it is read on. */
function onwards(result: string): { readonly call_id: string; readonly offset: number } {
  return JSON.parse(/call read_result with (\{.*?\})\./.exec(result)?.[1] ?? "{}");
}

const sendLong = (chars: number) => (_request: IncomingMessage, response: ServerResponse) =>
  response.end(longText(chars));

describe.each(["native", "text"] as const)("a result that is too long (%s)", (toolMode) => {
  it("is cut with its words, and read on from where the cut was, as often as it takes", async () => {
    const pieces: string[] = [];
    const call = (name: string, args: object): Said =>
      `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
    const lastIn = (request: Parameters<LoopSetting["model"]>[0]): string =>
      toolMode === "native" ? (resultsIn(request).at(-1) ?? "") : String(request.body.messages.at(-1)?.content);
    await begin(
      (request, n) => {
        if (n === 0) return toolMode === "native" ? get("a") : call("get", { item: "a" });
        const last = lastIn(request);
        pieces.push(...(/\d{9}\n[\d\n]*/.exec(last) ?? []));
        const next = onwards(last);
        if (next.call_id === undefined) return "Read.";
        return toolMode === "native" ? read(next) : call("read_result", next);
      },
      { tools: sendLong(25_000), toolMode },
    );
    const { content, events } = await runLoopOver(world, {}, true);
    expect(content).toContain("Read.");
    const first = events.find(({ type }) => type === "tool-result").content as string;
    expect(first.startsWith(`${longText(10_000)}\n... (truncated 15000 characters)\n`)).toBe(true);
    expect(JSON.stringify(events)).not.toContain("whole");
    expect(pieces.map((piece) => piece.trimEnd().length)).toEqual([9_999, 9_999, 4_999]);
    expect(pieces.join("").replaceAll("\n", "")).toBe(longText(25_000).replaceAll("\n", ""));
    expect(world.ran).toHaveLength(1);
  });
});

describe("the tool that reads on", () => {
  it("is not offered before a result was cut, nor to a run whose results were short", async () => {
    await begin((_request, n) => (n === 0 ? get("a") : n === 1 ? get("b") : "Done."), {
      tools: (request, response) => response.end(request.url === "/items/b" ? longText(12_000) : "short"),
    });
    await runLoopOver(world);
    expect(world.asked.map(offeredIn)).toEqual([["get"], ["get"], ["get", "read_result"]]);
    await runLoopOver(world);
    expect(offeredIn(world.asked[3] as never)).toEqual(["get"]);
  });

  it("reads nothing of another run, and says what it could read", async () => {
    let other = "";
    await begin(
      (request, n) => {
        if (n === 0 || n === 2) return get("a");
        if (n === 1) other = onwards(resultsIn(request)[0] ?? "").call_id;
        return n === 3 ? read({ call_id: other, offset: 0 }) : "Done.";
      },
      { tools: sendLong(12_000) },
    );
    await runLoopOver(world);
    await runLoopOver(world);
    const [own = "", refused] = resultsIn(world.asked[4] as never);
    expect(onwards(own).call_id).not.toBe(other);
    expect(refused).toBe(`Error: call_id must be that of a truncated result of this run: ${onwards(own).call_id}.`);
  });

  it("reads on in a run that a person has let go on, of what was read before", async () => {
    const wipe = { method: "POST", path: "/wipe" };
    await begin(
      (request, n) => {
        if (n === 0) return get("a");
        if (n === 1) return [{ name: "wipe" }];
        return n === 2 ? read(onwards(resultsIn(request)[0] ?? "")) : "Done.";
      },
      {
        actions: { get: GET, wipe },
        agent: { tools: ["get", { tool: "wipe", approval: "always" }] },
        tools: sendLong(12_000),
      },
    );
    const { calls } = await runLoopOver(world);
    const { id, arguments: asked } = calls[0] ?? { id: "", arguments: "{}" };
    const { plan } = JSON.parse(asked);
    const decision = { role: "tool", tool_call_id: id, content: JSON.stringify({ decision: "approve", plan }) };
    expect((await runLoopOver(world, { messages: [decision] })).content).toBe("Done.");
    expect(resultsIn(world.asked[3] as never).at(-1)).toBe(longText(12_000).slice(10_000));
  });

  it("keeps of one result no more than it may, and says so", async () => {
    await begin((_request, n) => (n === 0 ? get("a") : "Done."), { tools: sendLong(1_500_000) });
    await runLoopOver(world);
    const [result = ""] = resultsIn(world.asked[1] as never);
    expect(result.length).toBeLessThan(10_300);
    expect(result).toContain("... (truncated 1490000 characters)");
    expect(result).toContain("Only the first 1048576 characters are kept.");
  });

  it("keeps of all results of a run no more than it may", async () => {
    const items = Array.from({ length: 9 }, (_, n) => `n${n}`);
    await begin((_request, n) => (n === 0 ? get(...items) : "Done."), { tools: sendLong(1_100_000) });
    await runLoopOver(world);
    const results = resultsIn(world.asked[1] as never);
    const kept = results.map((result) => result.includes("call read_result"));
    expect(kept.filter(Boolean)).toHaveLength(8);
    expect(results.filter((result) => result.includes("The rest is not kept"))).toHaveLength(1);
  });
});

describe("the results of one answer's calls", () => {
  it("go up together in the order of the calls, whichever was first, no more at once than may run", async () => {
    const items = ["a", "b", "c", "d", "e", "f"];
    const held: (() => void)[] = [];
    // The first three come back last first; whoever comes later is answered at once.
    await begin((_request, n) => (n === 0 ? get(...items) : "Done."), {
      file: { limits: { parallel_tools: 3 } },
      tools: (request, response) => {
        const answer = (): void => void response.end(JSON.stringify(request.url));
        if (held.length >= 3) return answer();
        held.push(answer);
        if (held.length === 3) for (const release of held.toReversed()) release();
      },
    });
    await runLoopOver(world);
    expect(world.asked).toHaveLength(2);
    expect(resultsIn(world.asked[1] as never)).toEqual(items.map((item) => `/items/${item}`));
    expect(world.mostAtOnce()).toBe(3);
  });
});

describe("a call that fails", () => {
  it.each([
    [404, "Check the id"],
    [401, "may not do this"],
    [403, "may not do this"],
    [429, "too often"],
    [422, "Check each argument"],
  ])("with status %i says what helps", async (status, hint) => {
    await begin((_request, n) => (n === 0 ? get("a") : "Done."), {
      tools: (_request, response) => response.writeHead(status).end('{"detail": "no"}'),
    });
    await runLoopOver(world);
    const [result = ""] = resultsIn(world.asked[1] as never);
    expect(result).toMatch(new RegExp(`^Error: the service answered with status ${status}: .*no`));
    expect(result).toContain(hint);
  });

  it("because its service is not there, and because it took too long, says what helps", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const gone = { type: "http-client", id: "gone", description: "x", base_url: `http://127.0.0.1:${port}` };
    await begin((_request, n) => (n === 0 ? [{ name: "gone" }] : n === 1 ? get("a") : "Done."), {
      components: [{ ...gone, actions: [{ id: "get", method: "GET", path: "/" }] }],
      agent: { tools: ["get", "gone"] },
      file: { timeouts: { tool_ms: 200 } },
      tools: () => {},
    });
    await runLoopOver(world);
    const [refused = "", late = ""] = resultsIn(world.asked[2] as never);
    expect(refused).toMatch(/^Error: [\s\S]*cannot be reached/);
    expect(late).toMatch(/^Error: the tool took longer than 200 ms[\s\S]*Ask for less/);
  });

  it("three times in a run is not run a fourth time, and the model is told why", async () => {
    const steps = ["a", "b", "a", "c", "a", "d", "a"];
    await begin((_request, n) => (n < steps.length ? get(steps[n] ?? "") : "Done."), {
      tools: (request, response) =>
        request.url === "/items/a" ? response.writeHead(500).end("broken") : response.end('"fine"'),
    });
    expect((await runLoopOver(world)).content).toContain("Done.");
    expect(world.ran.filter((path) => path === "GET /items/a")).toHaveLength(3);
    const last = resultsIn(world.asked.at(-1) as never).at(-1) ?? "";
    expect(last).toMatch(/^Error: this call was not run: with these arguments it has failed 3 times/);
    expect(last).toContain("broken");
  });
});
