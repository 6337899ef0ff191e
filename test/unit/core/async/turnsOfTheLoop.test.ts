import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { iterateCooperatively, YIELD, yieldToEventLoop } from "../../../../src/core/async/yieldToEventLoop.ts";

describe("a turn of the event loop", () => {
  it("lets what waits for the loop run first", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("another's work"));
    await yieldToEventLoop();
    order.push("ours");
    expect(order).toEqual(["another's work", "ours"]);
  });

  it("is given to one of many long works at a time", async () => {
    let running = true;
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 20 }, () => yieldToEventLoop()));
    running = false;
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it("is had nowhere else: a hundred works with turns of their own would share one", () => {
    const src = join(import.meta.dirname, "../../../../src");
    const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const own = files.filter((file) => /\bsetImmediate\b/.test(readFileSync(join(src, file), "utf8")));
    expect(own).toEqual([join("core", "async", "yieldToEventLoop.ts")]);
  });

  it("rejects with the reason of a signal that was aborted meanwhile", async () => {
    const controller = new AbortController();
    const turn = yieldToEventLoop(controller.signal);
    controller.abort(new Error("the client left"));
    await expect(turn).rejects.toThrow("the client left");
    await expect(yieldToEventLoop()).resolves.toBeUndefined();
  });
});

describe("steps in turns", () => {
  it("give way where they ask for it, and where they gave much", async () => {
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns += 1;
      if (running) setImmediate(count);
    };
    const given: number[] = [];
    function* steps(): Generator<number | typeof YIELD> {
      for (let i = 0; i < 1_000; i += 1) yield i;
      yield YIELD;
      yield 1_000;
    }
    setImmediate(count);
    for await (const one of iterateCooperatively(steps())) given.push(one);
    running = false;
    expect(given).toHaveLength(1_001);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it("cost no turn where they are few", async () => {
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    const given: string[] = [];
    for await (const one of iterateCooperatively(["a", "b"])) given.push(one);
    expect([given, turned]).toEqual([["a", "b"], false]);
  });
});
