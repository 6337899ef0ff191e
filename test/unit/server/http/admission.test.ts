import { describe, expect, it, jest } from "@jest/globals";
import { createAdmission } from "../../../../src/server/http/admission.ts";
import type { RequestContext } from "../../../../src/server/http/RequestContext.ts";
import { SERVER } from "../../../support/defaults.ts";

describe("a heap that is nearly full", () => {
  it("takes no new work, and does again when there is room", async () => {
    let share = 0.95;
    const admit = createAdmission(SERVER, new AbortController().signal, () => share);
    const takePlace = jest.fn();
    const come = () => admit({ throwIfGone: () => {}, takePlace } as unknown as RequestContext);
    await expect(come()).rejects.toEqual(
      expect.objectContaining({
        failure: expect.objectContaining({ code: "gateway_overloaded", details: { retryAfterMs: 5_000 } }),
      }),
    );
    expect(takePlace).not.toHaveBeenCalled();
    share = 0.5;
    await come();
    expect(takePlace).toHaveBeenCalledTimes(1);
  });
});
