// Seals a store anew, whatever seals it bears: for a lost or changed key, and for a store that was put back. Decisions that nothing has followed yet are thrown away.
import type { StoreConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Clock } from "../../core/ports.ts";
import { Database, type Tables } from "../sql/Database.ts";
import { SqlAuditStore } from "../sql/SqlAuditStore.ts";
import { openSqlite } from "../sqlite/openSqlite.ts";
import { SealKey } from "../sqlite/sealKey.ts";
import { forgetDecisions } from "./forgetDecisions.ts";
import { Seals } from "./Seals.ts";
import { sealRows, setFingerprint } from "./sealRows.ts";

export interface ResealOptions extends Pick<StoreConfig, "maxBytes" | "sealKey"> {
  readonly file: string;
  readonly clock: Pick<Clock, "now" | "monotonic" | "sleep">;
}

export interface Resealed {
  readonly runs: number;
  /** Decisions that were thrown away. */
  readonly decisions: number;
  /** Where the key is. */
  readonly key: string;
}

/**
 * Takes what the store says for true, but for open decisions. It is an entry of the audit.
 * @throws PostelError `invalid_request` while a gateway holds a run or a session of it; `invalid_configuration`, `store_…`.
 */
export async function resealStore({ file, sealKey, maxBytes, clock }: ResealOptions): Promise<Resealed> {
  const key = new SealKey(file, sealKey);
  const found = key.read();
  const database = new Database(await openSqlite({ file, maxBytes, clock }), clock);
  const audit = new SqlAuditStore(database, clock);
  try {
    const done = await database.writeThrough(async (tables) => {
      await refuseHeld(tables, file, clock.now());
      const seals = new Seals(found ?? key.make());
      const decisions = await forgetDecisions(tables);
      const runs = await sealRows(tables, seals);
      await setFingerprint(tables, seals.fingerprint);
      await audit.add(tables, [{ type: "resealed", owner: "", runs, decisions }]);
      return { runs, decisions };
    });
    if (!found) key.publish();
    return { ...done, key: key.place };
  } finally {
    await database.close();
  }
}

/** A gateway that runs would go on sealing with the key that it knows. */
async function refuseHeld(tables: Tables, file: string, now: number): Promise<void> {
  for (const table of ["runs", "sessions"] as const) {
    const held = await tables.selectFrom(table).select("id").where("held_until", ">", now).limit(1).executeTakeFirst();
    if (!held) continue;
    const message = `A gateway uses the store ${file} just now, or did until a moment ago: it holds ${held.id}. Stop it, wait for \`runs.lease_ms\`, and try again.`;
    throw new PostelError(createFailure("invalid_request", message));
  }
}
