// Memories as rows: how one goes, with the words and the vector that it was found by. Knows no dialect.
import type { OwnedKey } from "../../core/stores.ts";
import type { Tables } from "./Database.ts";

/** False where it was not there. */
export async function forgetMemory(tables: Tables, { owner, id }: OwnedKey): Promise<boolean> {
  await tables.deleteFrom("memory_vectors").where("owner", "=", owner).where("memory", "=", id).execute();
  await tables.deleteFrom("memory_words").where("owner", "=", owner).where("memory", "=", id).execute();
  const { numDeletedRows } = await tables
    .deleteFrom("memories")
    .where("owner", "=", owner)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
