import { describe, expect, it } from "@jest/globals";
import type { Observation } from "../../../src/core/ports.ts";
import { RunningRequests } from "../../../src/telemetry/RunningRequests.ts";

const asked = (run: string): Observation => ({
  type: "request-received",
  run,
  request: { path: "/v1/chat/completions", body: { model: run } },
});

describe("RunningRequests: the facts of requests that are being answered", () => {
  it("are forgotten with the request, those of its further answers too, and nobody else's", () => {
    const running = new RunningRequests();
    for (const run of ["a", "a-2", "a-3", "b", "b-2"]) running.handle(asked(run));
    expect(running.addRun({ run: "a" })?.asked).toBe("a");
    expect(["a", "a-2", "a-3"].map((run) => running.addRun({ run }))).toEqual([undefined, undefined, undefined]);
    expect(running.addRun({ run: "b-2" })?.asked).toBe("b-2");
    expect(running.addRun({ run: "b" })?.asked).toBe("b");
  });
});
