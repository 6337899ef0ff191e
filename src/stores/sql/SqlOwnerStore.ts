// Exports and erases all data of an owner, table by table and slice by slice.
import { yieldToEventLoop } from "../../core/async/yieldToEventLoop.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { OwnerStore } from "../../core/stores/OwnerStore.ts";
import type { Seals } from "../seals/Seals.ts";
import type { Database } from "./Database.ts";
import { deleteSlice, type ExportedRow, OWNED_TABLES, type OwnedTable, readSlice } from "./ownedTables.ts";
import { SLICE } from "./pages.ts";
import type { SqlAuditStore } from "./SqlAuditStore.ts";

export class SqlOwnerStore implements OwnerStore {
  readonly #database: Database;
  readonly #audit: Pick<SqlAuditStore, "erase">;
  readonly #seals: Seals;

  constructor(
    database: Database,
    { audit, seals }: { readonly audit: Pick<SqlAuditStore, "erase">; readonly seals: Seals },
  ) {
    this.#database = database;
    this.#audit = audit;
    this.#seals = seals;
  }

  async *export(owner: string): AsyncIterable<JsonObject> {
    for (const table of OWNED_TABLES) {
      if (table.derived) continue;
      for (let after: ExportedRow["key"] | undefined; ; ) {
        const rows = await this.#database.read((tables) =>
          readSlice(tables, table, { owner, after, seals: this.#seals }),
        );
        for (const { fields } of rows) yield { table: table.name, ...fields };
        if (rows.length < SLICE) break;
        after = rows.at(-1)?.key;
        await yieldToEventLoop();
      }
    }
  }

  async erase(owner: string): Promise<Readonly<Record<string, number>>> {
    const deletedCount: Record<string, number> = {};
    for (const table of OWNED_TABLES) {
      deletedCount[table.name] = table.isKeptOnErase
        ? await this.#audit.erase(owner)
        : await this.#eraseRows(table, owner);
    }
    return deletedCount;
  }

  async #eraseRows(table: OwnedTable, owner: string): Promise<number> {
    for (let deletedCount = 0; ; ) {
      const deleted = await this.#database.write((tables) => deleteSlice(tables, table, owner));
      deletedCount += deleted;
      if (deleted < SLICE) return deletedCount;
      await yieldToEventLoop();
    }
  }
}
