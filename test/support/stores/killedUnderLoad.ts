// Two processes write to one store, one is killed in the middle: what both were acknowledged is there, once and in its order.
import { once } from "node:events";
import { expect } from "@jest/globals";
import { systemClock } from "../../../src/network/system.ts";
import { SqliteStore } from "../../../src/stores/SqliteStore.ts";
import { STORE } from "../defaults.ts";
import { startStoreProcess } from "./startStoreProcess.ts";

/** @param writes of the process that lives; the other is killed about half way to as many. Resolves with how many were acknowledged in all. */
export async function killedUnderLoad(file: string, writes: number): Promise<number> {
  const lives = startStoreProcess([file, "write", "lives", `${writes}`]);
  const dies = startStoreProcess([file, "write", "dies", `${writes * 100}`]);
  while (dies.said.length < writes / 2) await once(dies.heard, "line");
  dies.child.kill("SIGKILL");
  const acknowledged = {
    lives: (await lives.ended()).flatMap(({ written }) => written ?? []).length,
    dies: (await dies.ended()).flatMap(({ written }) => written ?? []).length,
  };
  expect(acknowledged.lives).toBe(writes);
  const store = await SqliteStore.open({ ...STORE, file, clock: systemClock });
  for (const id of ["lives", "dies"] as const) {
    const found = (await store.sessions.messages({ owner: "ada", id })).map(({ content }) => Number(content));
    expect(found).toEqual(found.map((_, n) => n + 1));
    // What was written and not yet told when the process died may be there.
    expect(found.length - acknowledged[id]).toBeGreaterThanOrEqual(0);
    expect(found.length - acknowledged[id]).toBeLessThanOrEqual(id === "dies" ? 1 : 0);
  }
  await store.close();
  return acknowledged.lives + acknowledged.dies;
}
