// How batches of events are handed on, and when no more of them are.
import { describe, expect, it } from "@jest/globals";
import { EventBuffer, type SinkSignal } from "../../../../src/core/events/EventSink.ts";

describe("EventSink: an outbox", () => {
  it("hands on all that was put into it as one batch, and an empty one to nobody", () => {
    const batches: (readonly string[])[] = [];
    const outbox = new EventBuffer<string>((events) => {
      batches.push(events);
      return undefined;
    });
    expect(outbox.flush()).toBeUndefined();
    outbox.ready.push("a", "b");
    expect(outbox.flush()).toBeUndefined();
    outbox.ready.push("c");
    void outbox.flush();
    expect(batches).toEqual([["a", "b"], ["c"]]);
  });

  it("answers at once where its taker does, and with a promise where that has to be waited for", async () => {
    const answers: (SinkSignal | Promise<SinkSignal>)[] = [undefined, Promise.resolve(undefined)];
    const outbox = new EventBuffer<string>(() => answers.shift());
    outbox.ready.push("a");
    expect(outbox.flush()).toBeUndefined();
    outbox.ready.push("b");
    const later = outbox.flush();
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBeUndefined();
  });

  it.each([
    ["at once", () => "enough" as const],
    ["later", async () => "enough" as const],
  ])("gives nothing more to a taker that says %s that it has enough", async (_, say) => {
    let batches = 0;
    const outbox = new EventBuffer<string>(() => {
      batches += 1;
      return say();
    });
    outbox.ready.push("a");
    expect(await outbox.flush()).toBe("enough");
    outbox.ready.push("b");
    expect([await outbox.flush(), outbox.isDone, batches]).toEqual(["enough", true, 1]);
  });
});
