// Live evidence in a table, so that other gateways and the next start know it. Judges nothing; knows no dialect.
import type { Evidence } from "../../core/capabilities.ts";
import { EVIDENCE_GOOD_MS } from "../../core/evidence.ts";
import type { Clock, EvidenceStore } from "../../core/ports.ts";
import type { Database } from "./Database.ts";
import { readable, seal, unseal } from "./sealed.ts";

/** Of one key: there are fewer kinds. */
const MOST = 1_000;

export class SqlEvidenceStore implements EvidenceStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;

  constructor(database: Database, clock: Pick<Clock, "now">) {
    this.#database = database;
    this.#clock = clock;
  }

  get(key: string): Promise<readonly Evidence[]> {
    return this.#database.read(async (tables) => {
      const rows = await tables
        .selectFrom("evidence")
        .select("evidence")
        .where("key", "=", key)
        .where("at", ">", this.#clock.now() - EVIDENCE_GOOD_MS)
        .orderBy("at")
        .limit(MOST)
        .execute();
      return readable(rows, ({ evidence }) => unseal<Evidence>(evidence, `Evidence of ${key}`));
    });
  }

  put(key: string, evidence: Evidence): Promise<void> {
    const { refused, at } = evidence;
    const row = { evidence: seal(evidence), at };
    return this.#database.write(async (tables) => {
      await tables
        .insertInto("evidence")
        .values({ key, refused, ...row })
        .onConflict((conflict) => conflict.columns(["key", "refused"]).doUpdateSet(row).where("evidence.at", "<=", at))
        .execute();
    });
  }
}
