// Checks the seals of all runs of a store and lists the damaged ones. Changes nothing.

import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import { isDamagedError } from "../sql/checksummedJson.ts";
import type { Database } from "../sql/Database.ts";
import type { RunSeals } from "./RunSeals.ts";
import { selectRunsAfter } from "./sealRows.ts";

export type SealReport =
  /** `why`: reason, for a human reader. */
  | { readonly type: "unchecked"; readonly why: string }
  | { readonly type: "checked"; readonly runs: number; readonly damaged: readonly DamagedRun[] };

interface DamagedRun extends OwnerKey {
  /** The damaged record, for a human reader. */
  readonly why: string;
}

/** @param unchecked why there is no key to check with */
export async function checkSeals(
  database: Database,
  runSeals: RunSeals,
  unchecked: string | undefined,
): Promise<SealReport> {
  if (unchecked !== undefined) return { type: "unchecked", why: unchecked };
  const damaged: DamagedRun[] = [];
  let runs = 0;
  let after: OwnerKey | undefined = { owner: "", id: "" };
  while (after) {
    const lastKey: OwnerKey = after;
    const keys: readonly OwnerKey[] = await database.read((tables) => selectRunsAfter(tables, lastKey));
    for (const key of keys) {
      const damage = await findDamage(database, runSeals, key);
      if (damage !== undefined) damaged.push({ ...key, why: damage });
      await yieldToEventLoop();
    }
    runs += keys.length;
    after = keys.at(-1);
  }
  return { type: "checked", runs, damaged };
}

async function findDamage(database: Database, runSeals: RunSeals, key: OwnerKey): Promise<string | undefined> {
  try {
    await database.readTogether((tables) => runSeals.checkTexts(tables, key));
    return undefined;
  } catch (error) {
    if (isDamagedError(error)) return error.failure.message;
    throw error;
  }
}
