// Seals a store again, whatever seals it has: after a lost or changed key, or a restored backup. Open decisions that have not
// taken effect are deleted.
import type { StoreConfig } from "../../core/config/configuration.ts";
import type { Clock } from "../../core/ports.ts";
import { Database } from "../sql/Database.ts";
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
  /** Number of deleted decisions. */
  readonly decisions: number;
  /** Location of the key. */
  readonly key: string;
}

/**
 * Seals all records in their present state, except open decisions, and records that in the audit log. No other process can
 * open the store meanwhile; a gateway that has it open continues with the key it read at its start. @throws PostelError
 * `invalid_request` while another process has the store open; `invalid_configuration`, `store_…`.
 */
export async function resealStore({ file, sealKey, maxBytes, clock }: ResealOptions): Promise<Resealed> {
  const key = new SealKey(file, sealKey);
  const database = new Database(await openSqlite({ file, maxBytes, clock, exclusive: true }), clock);
  const audit = new SqlAuditStore(database, clock);
  try {
    // Read only after the store is locked: another reseal may have created the key.
    const found = key.read();
    const done = await database.writeThrough(async (tables) => {
      const seals = new Seals(found ?? key.make());
      const decisions = await forgetDecisions(tables);
      const runs = await sealRows(tables, seals);
      await setFingerprint(tables, seals.fingerprint);
      await audit.add(tables, [{ type: "resealed", owner: "", runs, decisions }]);
      return { runs, decisions };
    });
    if (!found) key.publish();
    return { ...done, key: key.location };
  } finally {
    await database.close();
  }
}
