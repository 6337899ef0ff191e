import { setImmediate as round } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import type { Request, RequestHandler, Response } from "express";
import { inOrder } from "../../src/server/inOrder.ts";

const on: RequestHandler = (_request, _response, next) => next();
const later: RequestHandler = async (_request, _response, next) => {
  await round();
  next();
};

/** What comes behind the handlers, each time that it is called. */
async function behind(...handlers: readonly RequestHandler[]): Promise<unknown[]> {
  const heard: unknown[] = [];
  inOrder(...handlers)({} as Request, {} as Response, (error?: unknown) => void heard.push(error));
  for (let i = 0; i < 4; i += 1) await round();
  return heard;
}

describe("handlers in order", () => {
  it("come one behind the other, and then whoever is behind them", async () => {
    const came: number[] = [];
    const note =
      (n: number): RequestHandler =>
      (_request, _response, next) => {
        came.push(n);
        next();
      };
    expect(await behind(note(1), later, note(2), on, note(3))).toEqual([undefined]);
    expect(came).toEqual([1, 2, 3]);
  });

  it.each<[string, RequestHandler]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["says so", (_request, _response, next) => next(new Error("no"))],
  ])("end where one %s, whichever it stands behind, and nobody else comes", async (_how, failing) => {
    const never: RequestHandler = () => {
      throw new Error("It came.");
    };
    for (const before of [[], [on], [later], [later, on]]) {
      expect(await behind(...before, failing, never)).toEqual([new Error("no")]);
    }
  });

  it("end where one answers", async () => {
    expect(await behind(on, () => undefined, on)).toEqual([]);
  });
});
