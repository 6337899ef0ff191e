// Exports and deletes the data of an owner.
import type { JsonObject } from "../messages.ts";

export interface OwnerStore {
  /** Exports all stored data of an owner, one object per row: `{table, …}`. */
  export(owner: string): AsyncIterable<JsonObject>;
  /** Deletes an owner's data. Returns the number of deleted rows by table. Audit entries stay, but their content is deleted. */
  erase(owner: string): Promise<Readonly<Record<string, number>>>;
}
