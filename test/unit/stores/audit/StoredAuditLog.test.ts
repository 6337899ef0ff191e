// How the audit is written to: many at once cost few transactions, and what cannot be written is told to whoever was about to act.
import { describe, expect, it } from "@jest/globals";
import type { AuditEvent } from "../../../../src/core/audit/audit.ts";
import { createFailure, PostelError } from "../../../../src/core/failures.ts";
import { StoredAuditLog } from "../../../../src/stores/audit/StoredAuditLog.ts";

const event = (run: string): AuditEvent => ({ type: "run-ended", owner: "ada", run, outcome: "answered" });

/** A store whose appends end when they are told to. */
function heldStore() {
  const appends: { readonly runs: readonly string[]; readonly end: (error?: unknown) => void }[] = [];
  const append = (events: readonly AuditEvent[]): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const runs = events.flatMap((one) => ("run" in one ? one.run : []));
    appends.push({ runs, end: (error) => (error === undefined ? resolve() : reject(error)) });
    return promise;
  };
  return { append, appends };
}

const loopTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("the trail", () => {
  it("writes those who come at once together, and those who come meanwhile next, in their order", async () => {
    const { append, appends } = heldStore();
    const trail = new StoredAuditLog({ append });
    const told: string[] = [];
    const record = (...runs: string[]) => trail.record(runs.map(event)).then(() => told.push(...runs));
    const first = [record("1"), record("2", "3")];
    await loopTurn();
    const second = [record("4"), record("5")];
    await loopTurn();
    expect(appends.map(({ runs }) => runs)).toEqual([["1", "2", "3"]]);
    expect(told).toEqual([]);
    appends[0]?.end();
    await Promise.all(first);
    expect(told).toEqual(["1", "2", "3"]);
    expect(appends.map(({ runs }) => runs)).toEqual([
      ["1", "2", "3"],
      ["4", "5"],
    ]);
    appends[1]?.end();
    await Promise.all(second);
    await trail.flush();
    expect(appends).toHaveLength(2);
  });

  it("tells each of those whose entries were not written, and goes on with the next", async () => {
    const { append, appends } = heldStore();
    const trail = new StoredAuditLog({ append });
    const full = new PostelError(createFailure("store_full", "full"));
    const lost = [trail.record([event("1")]), trail.record([event("2")])].map((one) => one.catch((error) => error));
    await loopTurn();
    const next = trail.record([event("3")]);
    appends[0]?.end(full);
    expect(await Promise.all(lost)).toEqual([full, full]);
    appends[1]?.end();
    await next;
  });

  it("splits what waits between two callers, never within one", async () => {
    const { append, appends } = heldStore();
    const trail = new StoredAuditLog({ append });
    const many = (count: number) => Array.from({ length: count }, (_, n) => event(`${n}`));
    const all = [700, 1, 499, 1].map((count) => trail.record(many(count)));
    for (let n = 0; n < 3; n += 1) {
      await loopTurn();
      appends[n]?.end();
    }
    await Promise.all(all);
    expect(appends.map(({ runs }) => runs.length)).toEqual([700, 500, 1]);
  });

  it("refuses more than may wait, so that a slow disk stops effects and fills no memory", async () => {
    const { append, appends } = heldStore();
    const trail = new StoredAuditLog({ append });
    const waiting = Array.from({ length: 10_000 }, (_, n) => trail.record([event(`${n}`)]));
    const refused = trail.record([event("one too many")]);
    await expect(refused).rejects.toMatchObject({ failure: { code: "store_unavailable" } });
    for (let n = 0; n < 20; n += 1) {
      await loopTurn();
      appends[n]?.end();
    }
    await Promise.all(waiting);
    await trail.record([]);
  });
});
