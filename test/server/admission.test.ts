import { describe, expect, it, jest } from "@jest/globals";
import { admission } from "../../src/server/admission.ts";
import type { Exchange } from "../../src/server/Exchange.ts";
import { SERVER } from "../support/defaults.ts";

describe("a heap that is nearly full", () => {
  it("takes no new work, and does again when there is room", () => {
    let share = 0.95;
    const admit = admission(SERVER, new AbortController().signal, () => share);
    const takePlace = jest.fn();
    const come = () => admit({ throwIfGone: () => {}, takePlace } as unknown as Exchange);
    expect(come).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ code: "gateway_overloaded", details: { retryAfterMs: 5_000 } }),
      }),
    );
    expect(takePlace).not.toHaveBeenCalled();
    share = 0.5;
    expect(come()).toBeUndefined();
    expect(takePlace).toHaveBeenCalledTimes(1);
  });
});
