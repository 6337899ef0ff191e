// Lists the tables that contain data of an owner, and reads and deletes it in slices.
import type { ExpressionBuilder, Kysely } from "kysely";
import { PostelError } from "../../core/failures.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import { getCallPlace, getDecisionPlace, getInterruptPlace, getStatePlace } from "../seals/runRecords.ts";
import type { SealPlace, Seals } from "../seals/Seals.ts";
import { decodeChecked } from "./checksummedJson.ts";
import type { Tables } from "./Database.ts";
import { SLICE } from "./pages.ts";
import { getDefinitionPlace } from "./SqlDefinitionStore.ts";
import type { InterruptRow, Schema } from "./schema.ts";

export interface OwnedTable {
  readonly name: keyof Schema;
  /** Columns that identify a record of one owner, in the order of the primary key. */
  readonly key: Key<string>;
  /** Columns of JSON with a checksum. */
  readonly sealed?: readonly string[] | undefined;
  /** JSON columns with an HMAC, and the seal position of a record. */
  readonly authenticated?: Readonly<Record<string, (row: Row) => SealPlace>> | undefined;
  /** Derived columns, which are not exported. */
  readonly omitted?: readonly string[] | undefined;
  /** True if the table contains only data that another table has too. */
  readonly derived?: true | undefined;
  /** True if the records remain and only their content is erased, which needs more than a deletion. */
  readonly isKeptOnErase?: true | undefined;
}

/** Parents come first: nothing can be added to a deleted run or session. Tables whose erasure needs space come last. */
export const OWNED_TABLES: readonly OwnedTable[] = [
  { name: "runs", key: ["id"], sealed: ["failure", "feedback"], omitted: ["seal"] },
  { name: "sessions", key: ["id"] },
  {
    name: "interrupts",
    key: ["id"],
    authenticated: {
      interrupt: (row) => getInterruptPlace(row as unknown as InterruptRow),
      decision: (row) => getDecisionPlace(row as unknown as InterruptRow),
    },
  },
  { name: "run_states", key: ["run"], authenticated: { state: (row) => getStatePlace(getRun(row)) } },
  { name: "run_calls", key: ["run", "id"], authenticated: { result: (row) => getCallPlace(getRun(row), `${row.id}`) } },
  { name: "run_events", key: ["run", "seq"] },
  { name: "session_messages", key: ["session", "seq"], sealed: ["message"] },
  { name: "notices", key: ["id"] },
  { name: "memories", key: ["id"] },
  { name: "tool_definitions", key: ["server", "tool"], authenticated: { definition: definitionPlace } },
  { name: "memory_words", key: ["word", "memory"], derived: true },
  { name: "memory_vectors", key: ["memory"], derived: true },
  { name: "collections", key: ["id"] },
  { name: "collection_entries", key: ["collection", "id"], sealed: ["metadata"] },
  { name: "collection_parts", key: ["collection", "entry", "part"], omitted: ["vector"] },
  { name: "collection_fields", key: ["collection", "entry", "name"], derived: true },
  { name: "audit_entries", key: ["seq"], omitted: ["salt"], isKeptOnErase: true },
];

type Value = string | number | null;
type Row = Record<string, Value>;
/** One to three columns, or their values. */
type Key<T> = readonly [T] | readonly [T, T] | readonly [T, T, T];
/** Any table by name: the statements here are the same for all. */
type AnySchema = Record<string, Row>;

/** A record as its owner gets it in an export, with its key, after which the next slice begins. */
export interface ExportedRow {
  readonly key: Key<Value>;
  readonly fields: JsonObject;
}

/** The next records of an owner, at most `SLICE`, in the order of their keys. */
export async function readSlice(
  tables: Tables,
  table: OwnedTable,
  { owner, after, seals }: { readonly owner: string; readonly after?: Key<Value> | undefined; readonly seals: Seals },
): Promise<readonly ExportedRow[]> {
  let query = selectRows(tables, table, owner).limit(SLICE);
  if (after) query = query.where((eb) => eb(columns(eb, table.key), ">", values(eb, owner, after)));
  const rows = await query.execute();
  return rows.map((row) => ({ key: getKey(row, table), fields: toExportFields(row, table, seals) }));
}

/** Deletes the first records of an owner, at most `SLICE`; resolves with their number. */
export async function deleteSlice(tables: Tables, table: OwnedTable, owner: string): Promise<number> {
  const last = await selectRows(tables, table, owner)
    .offset(SLICE - 1)
    .limit(1)
    .executeTakeFirst();
  let query = asAnySchema(tables).deleteFrom(table.name).where("owner", "=", owner);
  if (last) query = query.where((eb) => eb(columns(eb, table.key), "<=", values(eb, owner, getKey(last, table))));
  const { numDeletedRows } = await query.executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function selectRows(tables: Tables, { name, key }: OwnedTable, owner: string) {
  const query = asAnySchema(tables).selectFrom(name).selectAll().where("owner", "=", owner);
  return key.reduce((sorted, column) => sorted.orderBy(column), query);
}

function asAnySchema(tables: Tables): Kysely<AnySchema> {
  return tables as unknown as Kysely<AnySchema>;
}

function columns(eb: ExpressionBuilder<AnySchema, string>, [first, second, third]: Key<string>) {
  if (second === undefined) return eb.refTuple("owner", first);
  return third === undefined ? eb.refTuple("owner", first, second) : eb.refTuple("owner", first, second, third);
}

function values(eb: ExpressionBuilder<AnySchema, string>, owner: string, [first, second, third]: Key<Value>) {
  if (second === undefined) return eb.tuple(owner, first);
  return third === undefined ? eb.tuple(owner, first, second) : eb.tuple(owner, first, second, third);
}

function getKey(row: Row, { key: [first, second, third] }: OwnedTable): Key<Value> {
  const at = (column: string): Value => row[column] ?? null;
  if (second === undefined) return [at(first)];
  return third === undefined ? [at(first), at(second)] : [at(first), at(second), at(third)];
}

/** A damaged record is exported as a fault, so that it does not hide the others. */
function toExportFields(
  row: Row,
  { sealed = [], authenticated = {}, omitted = [] }: OwnedTable,
  seals: Seals,
): JsonObject {
  const exported = Object.entries(row).filter(([column]) => !omitted.includes(column));
  return Object.fromEntries(
    exported.map(([column, value]) => {
      const getPlace = authenticated[column];
      if (typeof value !== "string") return [column, value];
      if (getPlace)
        return [column, opened(() => seals.unseal<JsonValue>(getPlace(row), value, { recordName: "This record" }))];
      return [column, sealed.includes(column) ? opened(() => decodeChecked<JsonValue>(value, "This record")) : value];
    }),
  );
}

function getRun({ owner, run }: Row) {
  return { owner: `${owner}`, id: `${run}` };
}

function definitionPlace({ owner, server, tool }: Row): SealPlace {
  return getDefinitionPlace({ owner: `${owner}`, server: `${server}`, tool: `${tool}` });
}

function opened(open: () => JsonValue): JsonValue {
  try {
    return open();
  } catch (error) {
    if (error instanceof PostelError) return { error: error.failure.message };
    throw error;
  }
}
