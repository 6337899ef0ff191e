import { expect, it } from "@jest/globals";
import type { Observation } from "../../../src/core/ports.ts";
import { createFanOut } from "../../../src/telemetry/fanOut.ts";

const RETRY: Observation = { type: "retry", run: "r", key: "up/m", reason: "status 429" };

it("tells each observer everything, in their order; none is one that hears nothing", () => {
  const heard: [number, Observation][] = [];
  const observers = [1, 2, 3].map((n) => ({ observe: (one: Observation) => heard.push([n, one]) }));
  createFanOut(observers).observe(RETRY);
  expect(heard).toEqual([
    [1, RETRY],
    [2, RETRY],
    [3, RETRY],
  ]);
  expect(() => createFanOut([]).observe(RETRY)).not.toThrow();
});
