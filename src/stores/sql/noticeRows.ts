// Notices as rows: written with the change of the run that they tell of. Sends nothing.
import type { Notice, OwnedKey } from "../../core/stores.ts";
import type { Tables } from "./Database.ts";

/** Due at once. @param now epoch milliseconds */
export async function addNotices(
  tables: Tables,
  { owner, id: run }: OwnedKey,
  { notices, now }: { readonly notices: readonly Notice[]; readonly now: number },
): Promise<void> {
  const rows = notices.map(({ id, url, body }) => ({ id, owner, run, url, body, attempt: 0, due_at: now }));
  if (rows.length > 0) await tables.insertInto("notices").values(rows).execute();
}
