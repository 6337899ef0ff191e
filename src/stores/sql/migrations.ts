// The migrations of the schema in order. A released migration is never changed.
import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The order of the names is the order of the migrations. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-sessions-runs-interrupts-memories-evidence": { up: createFirst },
  "0002-collections-and-vectors": { up: createCollections },
  "0003-tool-definitions": { up: createToolDefinitions },
  "0004-tool-statistics": { up: createToolStatistics },
  "0005-audit": { up: createAudit },
  "0006-audit-copies": { up: createAuditCopies },
  "0007-untrusted-sessions": { up: markSessions },
  "0008-seals": { up: createSeals },
};

// A migration uses the tables of its own version, so it has no typed schema.
type Any = Kysely<unknown>;

async function createFirst(db: Any): Promise<void> {
  await createSessions(db);
  await createRuns(db);
  await createInterrupts(db);
  await createNotices(db);
  await createMemories(db);
  await db.schema
    .createTable("evidence")
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("refused", "text", (column) => column.notNull())
    .addColumn("evidence", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("evidence_key", ["key", "refused"])
    .execute();
  await db.schema.createIndex("evidence_by_age").on("evidence").columns(["at"]).execute();
}

async function createSessions(db: Any): Promise<void> {
  await addLeaseColumns(owned(db, "sessions"))
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("agent", "text")
    .addColumn("mode", "text", (column) => column.notNull())
    .addColumn("waiting_run", "text")
    .addColumn("messages", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("sessions_key", ["owner", "id"])
    .execute();
  await db.schema.createIndex("sessions_of_owner").on("sessions").columns(["owner", "updated_at", "id"]).execute();
  await db.schema.createIndex("sessions_by_age").on("sessions").columns(["updated_at"]).execute();
  await owned(db, "session_messages")
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("seq", "integer", (column) => column.notNull())
    .addColumn("message", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("session_messages_key", ["owner", "session", "seq"])
    .execute();
}

async function createRuns(db: Any): Promise<void> {
  await addLeaseColumns(owned(db, "runs"))
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("agent", "text", (column) => column.notNull())
    .addColumn("session", "text")
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("background", "integer", (column) => column.notNull())
    .addColumn("outcome", "text")
    .addColumn("run_limit", "text")
    .addColumn("failure", "text")
    .addColumn("feedback", "text")
    .addColumn("cancel_asked", "integer", (column) => column.notNull())
    .addColumn("events", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .addPrimaryKeyConstraint("runs_key", ["owner", "id"])
    .execute();
  await db.schema.createIndex("runs_of_owner").on("runs").columns(["owner", "created_at", "id"]).execute();
  await db.schema.createIndex("runs_of_session").on("runs").columns(["owner", "session", "created_at", "id"]).execute();
  await db.schema.createIndex("runs_by_status").on("runs").columns(["status", "updated_at"]).execute();
  await db.schema.createIndex("runs_by_age").on("runs").columns(["updated_at"]).execute();
  await ofRun(owned(db, "run_states"))
    .addColumn("state", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_states_key", ["owner", "run"])
    .execute();
  await ofRun(owned(db, "run_calls"))
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("seq", "integer", (column) => column.notNull())
    .addColumn("result", "text")
    .addPrimaryKeyConstraint("run_calls_key", ["owner", "run", "id"])
    .execute();
  await ofRun(owned(db, "run_events"))
    .addColumn("seq", "integer", (column) => column.notNull())
    .addColumn("event", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_events_key", ["owner", "run", "seq"])
    .execute();
  await db.schema.createIndex("run_events_by_age").on("run_events").columns(["at"]).execute();
}

async function createInterrupts(db: Any): Promise<void> {
  await ofRun(owned(db, "interrupts"))
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("seq", "integer", (column) => column.notNull())
    .addColumn("interrupt", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("decision", "text")
    .addColumn("decided_by", "text")
    .addColumn("decided_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("interrupts_key", ["owner", "id"])
    .execute();
  await db.schema.createIndex("interrupts_of_run").on("interrupts").columns(["owner", "run", "seq"]).execute();
  await db.schema
    .createIndex("interrupts_of_owner")
    .on("interrupts")
    .columns(["owner", "status", "created_at"])
    .execute();
}

async function createNotices(db: Any): Promise<void> {
  await ofRun(owned(db, "notices"))
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("attempt", "integer", (column) => column.notNull())
    .addColumn("due_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("notices_by_due").on("notices").columns(["due_at"]).execute();
  await db.schema.createIndex("notices_of_owner").on("notices").columns(["owner", "id"]).execute();
}

async function createMemories(db: Any): Promise<void> {
  await owned(db, "memories")
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addColumn("agent", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("memories_key", ["owner", "id"])
    .execute();
  await db.schema.createIndex("memories_of_owner").on("memories").columns(["owner", "created_at", "id"]).execute();
  await db.schema.createIndex("memories_by_age").on("memories").columns(["created_at"]).execute();
  await owned(db, "memory_words")
    .addColumn("word", "text", (column) => column.notNull())
    .addColumn("memory", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("memory_words_key", ["owner", "word", "memory"])
    .execute();
  await db.schema.createIndex("words_of_memory").on("memory_words").columns(["owner", "memory"]).execute();
}

async function createCollections(db: Any): Promise<void> {
  await ofVectors(owned(db, "collections").addColumn("id", "text", (column) => column.notNull()))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("collections_key", ["owner", "id"])
    .execute();
  await ofCollection(owned(db, "collection_entries"))
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("title", "text")
    .addColumn("url", "text")
    .addColumn("metadata", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("collection_entries_key", ["owner", "collection", "id"])
    .execute();
  await ofCollection(owned(db, "collection_parts"))
    .addColumn("entry", "text", (column) => column.notNull())
    .addColumn("part", "integer", (column) => column.notNull())
    .addColumn("vector", "blob", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("collection_parts_key", ["owner", "collection", "entry", "part"])
    .execute();
  await ofCollection(owned(db, "collection_fields"))
    .addColumn("entry", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("number", "double precision")
    .addPrimaryKeyConstraint("collection_fields_key", ["owner", "collection", "entry", "name", "value"])
    .execute();
  await ofVectors(owned(db, "memory_vectors").addColumn("memory", "text", (column) => column.notNull()))
    .addColumn("vector", "blob", (column) => column.notNull())
    .addPrimaryKeyConstraint("memory_vectors_key", ["owner", "memory"])
    .execute();
}

async function createToolDefinitions(db: Any): Promise<void> {
  await owned(db, "tool_definitions")
    .addColumn("server", "text", (column) => column.notNull())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("definition", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("tool_definitions_key", ["owner", "server", "tool"])
    .execute();
}

async function createToolStatistics(db: Any): Promise<void> {
  await db.schema
    .createTable("tool_statistics")
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("calls", "bigint", (column) => column.notNull())
    .addColumn("ms", "bigint", (column) => column.notNull())
    .addColumn("chars", "bigint", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("tool_statistics_key", ["tool", "outcome"])
    .execute();
  await db.schema.createIndex("tool_statistics_by_age").on("tool_statistics").columns(["at"]).execute();
}

async function createAudit(db: Any): Promise<void> {
  await owned(db, "audit_entries")
    .addColumn("seq", "integer", (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("previous", "text", (column) => column.notNull())
    .addColumn("digest", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("salt", "text")
    .addColumn("event", "text")
    .execute();
  await db.schema.createIndex("audit_of_owner").on("audit_entries").columns(["owner", "seq"]).execute();
}

async function createAuditCopies(db: Any): Promise<void> {
  await db.schema
    .createTable("audit_copies")
    .addColumn("copy", "text", (column) => column.primaryKey())
    .addColumn("seq", "integer", (column) => column.notNull())
    .execute();
}

/** Existing sessions may contain untrusted content, so they are marked. */
async function markSessions(db: Any): Promise<void> {
  await db.schema.alterTable("sessions").addColumn("untrusted_from", "integer").execute();
  await sql`update sessions set untrusted_from = 1 where messages > 0`.execute(db);
}

/** Existing records are sealed when the store is opened with a key. */
async function createSeals(db: Any): Promise<void> {
  await db.schema.alterTable("runs").addColumn("seal", "text").execute();
  await db.schema
    .createTable("seal_keys")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("fingerprint", "text", (column) => column.notNull())
    .execute();
}

function owned(db: Any, table: string) {
  return db.schema.createTable(table).addColumn("owner", "text", (column) => column.notNull());
}

function ofRun<T extends string, C extends string>(table: CreateTableBuilder<T, C>) {
  return table.addColumn("run", "text", (column) => column.notNull());
}

function ofCollection<T extends string, C extends string>(table: CreateTableBuilder<T, C>) {
  return table.addColumn("collection", "text", (column) => column.notNull());
}

function ofVectors<T extends string, C extends string>(table: CreateTableBuilder<T, C>) {
  return table
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("dimension", "integer", (column) => column.notNull());
}

function addLeaseColumns<T extends string, C extends string>(table: CreateTableBuilder<T, C>) {
  return table.addColumn("holder", "text").addColumn("held_until", "bigint", (column) => column.notNull());
}
