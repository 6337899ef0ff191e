// Looks through all runs of a store for rows that are not those that were sealed. Changes nothing.

import { PostelError } from "../../core/failures.ts";
import { loopTurn } from "../../core/loopTurn.ts";
import type { OwnedKey } from "../../core/stores.ts";
import type { Database } from "./Database.ts";
import type { RunSeals } from "./RunSeals.ts";
import { runsBehind } from "./sealRows.ts";

export type SealReport =
  /** `why`: for a person. */
  | { readonly type: "unchecked"; readonly why: string }
  | { readonly type: "checked"; readonly runs: number; readonly damaged: readonly DamagedRun[] };

interface DamagedRun extends OwnedKey {
  /** For a person: which record it is. */
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
  let after: OwnedKey | undefined = { owner: "", id: "" };
  while (after) {
    const behind: OwnedKey = after;
    const keys: readonly OwnedKey[] = await database.read((tables) => runsBehind(tables, behind));
    for (const key of keys) {
      const why = await damageIn(database, runSeals, key);
      if (why !== undefined) damaged.push({ ...key, why });
      await loopTurn();
    }
    runs += keys.length;
    after = keys.at(-1);
  }
  return { type: "checked", runs, damaged };
}

async function damageIn(database: Database, runSeals: RunSeals, key: OwnedKey): Promise<string | undefined> {
  try {
    await database.readTogether((tables) => runSeals.checkTexts(tables, key));
    return undefined;
  } catch (error) {
    if (error instanceof PostelError && error.failure.code === "store_damaged") return error.failure.message;
    throw error;
  }
}
