import { describe, expect, it } from "@jest/globals";
import { Deadline } from "../../../../src/agents/run/Deadline.ts";
import { createFailure } from "../../../../src/core/failures.ts";
import { ManualClock } from "../../../support/agents/ManualClock.ts";

const LATE = createFailure("turn_timeout", "Too late.");
const settled = () => new Promise((resolve) => setImmediate(resolve));

function deadline(outer = new AbortController()) {
  const clock = new ManualClock();
  return { outer, clock, time: new Deadline(outer.signal) };
}

describe("a deadline", () => {
  it("aborts its signal with the failure when the time is up, not before", async () => {
    const { clock, time } = deadline();
    time.start(1_000, clock, LATE);
    clock.advance(999);
    await settled();
    expect([time.signal.aborted, time.passed]).toEqual([false, false]);
    clock.advance(1);
    await settled();
    expect([time.signal.reason.failure, time.passed, clock.pending]).toEqual([LATE, true, 0]);
  });

  it("that is never started has no end of its own", async () => {
    const { clock, time } = deadline();
    clock.advance(1_000_000);
    await settled();
    expect([time.signal.aborted, time.passed, clock.pending]).toEqual([false, false, 0]);
  });

  it("whose work is over in time was not passed, and leaves no timer", async () => {
    const { clock, time } = deadline();
    time.start(1_000, clock, LATE);
    time.end();
    await settled();
    clock.advance(2_000);
    await settled();
    expect([time.signal.aborted, time.passed, clock.pending]).toEqual([true, false, 0]);
  });

  it("ends with the outer signal and its reason, and was not passed", async () => {
    const { outer, clock, time } = deadline();
    time.start(1_000, clock, LATE);
    outer.abort("the caller left");
    await settled();
    expect([time.signal.reason, time.passed, clock.pending]).toEqual(["the caller left", false, 0]);
  });
});
