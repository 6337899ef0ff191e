// Stores observed capabilities in a table, so that other gateways and the next start use them.
import type { ObservedCapability } from "../../core/models/capabilities.ts";
import { OBSERVATION_TTL_MS } from "../../core/models/observedCapabilities.ts";
import type { Clock, ObservedCapabilityStore } from "../../core/ports.ts";
import { decodeChecked, encodeChecked, filterReadable } from "./checksummedJson.ts";
import type { Database } from "./Database.ts";

/** Maximum number of entries of one key; there are fewer kinds. */
const MOST = 1_000;

export class SqlCapabilityStore implements ObservedCapabilityStore {
  readonly #database: Database;
  readonly #clock: Pick<Clock, "now">;

  constructor(database: Database, clock: Pick<Clock, "now">) {
    this.#database = database;
    this.#clock = clock;
  }

  get(key: string): Promise<readonly ObservedCapability[]> {
    return this.#database.read(async (tables) => {
      const rows = await tables
        .selectFrom("evidence")
        .select("evidence")
        .where("key", "=", key)
        .where("at", ">", this.#clock.now() - OBSERVATION_TTL_MS)
        .orderBy("at")
        .limit(MOST)
        .execute();
      return filterReadable(rows, ({ evidence }) => decodeChecked<ObservedCapability>(evidence, `Evidence of ${key}`));
    });
  }

  put(key: string, evidence: ObservedCapability): Promise<void> {
    const { refused, at } = evidence;
    const row = { evidence: encodeChecked(evidence), at };
    return this.#database.write(async (tables) => {
      await tables
        .insertInto("evidence")
        .values({ key, refused, ...row })
        .onConflict((conflict) => conflict.columns(["key", "refused"]).doUpdateSet(row).where("evidence.at", "<=", at))
        .execute();
    });
  }
}
