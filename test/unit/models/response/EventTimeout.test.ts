// Silence is measured to the millisecond, and an answer that gets on pays for no timer of each read.
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { EventTimeout } from "../../../../src/models/response/EventTimeout.ts";

const open: EventTimeout[] = [];

function deadline(): EventTimeout {
  const one = new EventTimeout(new AbortController().signal);
  open.push(one);
  return one;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds until the deadline aborts. */
async function untilAbort({ signal }: EventTimeout): Promise<number> {
  const start = performance.now();
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  return performance.now() - start;
}

afterEach(() => {
  for (const one of open.splice(0)) one.dispose();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe("EventTimeout: a deadline", () => {
  it("goes off no sooner than it was started for, though a timer of a shorter wait was still set", async () => {
    const one = deadline();
    one.start(20, "word");
    one.start(80, "further word");
    // A timer of the process may be a millisecond early by its own clock.
    expect(await untilAbort(one)).toBeGreaterThanOrEqual(78);
    expect(one.reason?.failure).toMatchObject({
      code: "upstream_timeout",
      message: expect.stringContaining("sent no further word within 80 ms"),
    });
  });

  it("gives the whole time again where the answer gets on, with no timer more, and nothing while nobody asks", () => {
    jest.useFakeTimers();
    const one = deadline();
    one.restart();
    one.start(60, "word");
    jest.advanceTimersByTime(50);
    for (let event = 0; event < 100; event += 1) one.restart();
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(59);
    expect(one.signal.aborted).toBe(false);
    one.pause();
    one.restart();
    jest.advanceTimersByTime(200);
    expect(one.signal.aborted).toBe(false);
    one.resume();
    jest.advanceTimersByTime(61);
    expect(one.signal.aborted).toBe(true);
  });

  it("goes off in time though a timer of a longer wait was set", async () => {
    const one = deadline();
    one.start(60_000, "word");
    one.start(20, "further word");
    expect(await untilAbort(one)).toBeLessThan(10_000);
  });

  it("counts nothing while nobody asks, and goes on with what was left", async () => {
    const one = deadline();
    one.start(60, "word");
    await pause(20);
    one.pause();
    await pause(100);
    expect(one.reason).toBeUndefined();
    one.resume();
    expect(await untilAbort(one)).toBeGreaterThanOrEqual(15);
  });

  it("that was stopped never goes off, whoever pauses and resumes it", async () => {
    const one = deadline();
    one.start(10, "word");
    one.stop();
    one.pause();
    one.resume();
    await pause(40);
    expect(one.reason).toBeUndefined();
  });

  it("sets one timer for however many reads", async () => {
    const set = jest.spyOn(globalThis, "setTimeout");
    const one = deadline();
    for (let read = 0; read < 1_000; read += 1) {
      one.start(60_000, "word");
      one.pause();
      one.resume();
      one.pause();
    }
    expect(set).toHaveBeenCalledTimes(1);
  });

  it("leaves no timer behind where it has gone off or was disposed of", async () => {
    const cleared = jest.spyOn(globalThis, "clearTimeout");
    const one = deadline();
    one.start(60_000, "word");
    one.pause();
    one.dispose();
    expect(cleared.mock.lastCall?.[0]).toHaveProperty("_destroyed", true);
  });
});
