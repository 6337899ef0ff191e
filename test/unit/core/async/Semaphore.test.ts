import { describe, expect, it } from "@jest/globals";
import { Semaphore } from "../../../../src/core/async/Semaphore.ts";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";

const open = (options: { permits?: number; maxWaiting?: number; waitMs?: number } = {}) =>
  new Semaphore({ permits: 1, maxWaiting: 10, waitMs: 60_000, keys: "`some.key`", ...options });
const nobodyLeaves = new AbortController().signal;
const overloaded = (message: string) => ({
  failure: { code: "gateway_overloaded", message: expect.stringContaining(message) },
});

describe("places", () => {
  it("are given in the order in which they were asked for", async () => {
    const places = open();
    const order: number[] = [];
    const first = await places.acquire(nobodyLeaves);
    const rest = [1, 2, 3].map(async (number) => {
      const leave = await places.acquire(nobodyLeaves);
      order.push(number);
      leave();
    });
    first();
    await Promise.all(rest);
    expect(order).toEqual([1, 2, 3]);
  });

  it("that are given back twice are one", async () => {
    const places = open({ maxWaiting: 0 });
    const leave = await places.acquire(nobodyLeaves);
    leave();
    leave();
    await places.acquire(nobodyLeaves);
    await expect(places.acquire(nobodyLeaves)).rejects.toMatchObject(overloaded("no more requests may wait"));
  });

  it("refuse whoever finds the queue full, at once and with different times to come back", async () => {
    const places = open({ maxWaiting: 0 });
    await places.acquire(nobodyLeaves);
    const times = [1, 2, 3, 4, 5].map(() =>
      places.acquire(nobodyLeaves).then(
        () => undefined,
        (error: PostelError) => error.failure.details?.retryAfterMs,
      ),
    );
    expect(new Set(await Promise.all(times))).toEqual(new Set([1_000, 2_000, 3_000, 4_000, 5_000]));
  });

  it("refuse whoever has waited too long, and name the key", async () => {
    const places = open({ waitMs: 1 });
    await places.acquire(nobodyLeaves);
    await expect(places.acquire(nobodyLeaves)).rejects.toMatchObject(overloaded("within 1 ms (`some.key`)"));
  });

  it("are not kept for one who left while it waited", async () => {
    const places = open({ maxWaiting: 1 });
    const leave = await places.acquire(nobodyLeaves);
    const leaving = new AbortController();
    const left = places.acquire(leaving.signal);
    leaving.abort(new PostelError(createFailure("cancelled", "gone")));
    await expect(left).rejects.toMatchObject({ failure: { code: "cancelled" } });
    const next = places.acquire(nobodyLeaves);
    leave();
    (await next)();
    await expect(places.acquire(AbortSignal.abort(new Error("gone already")))).rejects.toThrow("gone already");
  });

  it("of several sizes never come to more than there are, and the largest is served too", async () => {
    const places = open({ permits: 10 });
    const large = await places.acquire(nobodyLeaves, 1_000);
    const six = places.acquire(nobodyLeaves, 6);
    const seven = places.acquire(nobodyLeaves, 7);
    const order: string[] = [];
    void seven.then(() => order.push("seven"));
    large();
    const leaveSix = await six;
    const three = places.acquire(nobodyLeaves, 3).then(() => order.push("three"));
    leaveSix();
    await three;
    expect(order).toEqual(["seven", "three"]);
  });

  it("behind one that was too large and left are given to whoever fits", async () => {
    const places = open({ permits: 10 });
    await places.acquire(nobodyLeaves, 6);
    const leaving = new AbortController();
    const large = places.acquire(leaving.signal, 10);
    const small = places.acquire(nobodyLeaves, 4);
    leaving.abort(new Error("gone"));
    await expect(large).rejects.toThrow("gone");
    await small;
  });

  it("send away everybody who waits when they are told to, and keep those who have one", async () => {
    const places = open();
    const leave = await places.acquire(nobodyLeaves);
    const waiting = places.acquire(nobodyLeaves);
    places.rejectQueue(createFailure("shutting_down", "over"));
    await expect(waiting).rejects.toMatchObject({ failure: { code: "shutting_down" } });
    leave();
  });
});
