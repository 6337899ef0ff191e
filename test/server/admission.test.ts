import { EventEmitter } from "node:events";
import { describe, expect, it, jest } from "@jest/globals";
import type { Request, Response } from "express";
import { admission } from "../../src/server/admission.ts";
import { SERVER } from "../support/defaults.ts";

describe("a heap that is nearly full", () => {
  it("takes no new work, and does again when there is room", async () => {
    let share = 0.95;
    const admit = admission(SERVER, new AbortController().signal, () => share);
    const next = jest.fn();
    const come = () => admit({} as Request, new EventEmitter() as unknown as Response, next);
    await expect(come()).rejects.toMatchObject({
      failure: { code: "gateway_overloaded", details: { retryAfterMs: 5_000 } },
    });
    expect(next).not.toHaveBeenCalled();
    share = 0.5;
    await come();
    expect(next).toHaveBeenCalledTimes(1);
  });
});
