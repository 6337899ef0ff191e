// Database clients: their input is SQL, or commands of their own.
import type { ArgumentRule, ProgramRow, ProgramRule, ProgramTable } from "./ProgramRow.ts";
import { findOptions } from "./parseArgv.ts";

const destroys = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "drop",
  why: "removes or replaces what a database holds",
  ...given,
});
const commands = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "code",
  why: "carries out an order that reaches files or programs",
  ...given,
});

/** Commands of psql, mysql, sqlite and similar clients that run programs, or read and write files. */
const ORDERS =
  /^[ \t]*\\(?:!|copy\b.*\bprogram\b|[gow]x?\s*[|/]|o\s|i\s|ir\s|include|setenv|system|source|\.|pager|edit|e\b)|\\[gow]x?\s*\||^[ \t]*(?:system|source|pager|tee|edit)\s|^[ \t]*\.(?:system|shell|load|open|output|once|excel|import|restore|read|save|backup|clone|cd|archive|log|trace|sh)\b|^[ \t]*:?!!|^[ \t]*:(?:r|out|setvar|ed)\b/im;

function orders(options: string, operandsFrom: number): ArgumentRule {
  const names = new Set(options.split(" "));
  return (args, program) => {
    const texts = [
      ...findOptions(args, names).map(({ value = "" }) => value),
      ...args.operands.slice(operandsFrom).map(({ word }) => word),
    ];
    return texts.some((text) => ORDERS.test(text))
      ? { rule: "code", reason: `\`${program}\` carries out an order that reaches files or programs` }
      : undefined;
  };
}

/** A single read call, for shells whose language is code. */
const MONGO_READS =
  /^\s*(?:show\s+\w+|rs\.status\(\)|sh\.status\(\)|db(?:\.\w+)*\.(?:find|findOne|countDocuments|estimatedDocumentCount|count|stats|version|hello|getCollectionNames|getCollectionInfos|getIndexes|getName|distinct|serverStatus|currentOp|explain)\([^()]*\)(?:\.(?:limit|sort|skip|count|toArray|pretty|size)\([^()]*\))*)\s*;?\s*$/;

const mongo: ArgumentRule = (args, program) =>
  findOptions(args, new Set(["eval"])).some(({ value = "" }) => !MONGO_READS.test(value))
    ? { rule: "code", reason: `\`${program}\` runs code that stands in its own words` }
    : undefined;

const mysql: ProgramRow = {
  values: "h P S D default-character-set host port socket database protocol ssl-mode login-path defaults-file",
  flags: "user password batch table vertical silent raw skip-column-names version help",
  sql: "e execute",
  code: "init-command pager",
  writes: "tee",
  judge: orders("e execute", 99),
};

export const DATABASES: ProgramTable = {
  "mysql mariadb mycli": mysql,
  "psql pgcli usql": {
    values: "h p U d v F R T P set host port username dbname file f",
    flags: "no-psqlrc tuples-only no-align version help list quiet csv",
    sql: "c command",
    writes: "o L output log-file",
    judge: orders("c command", 99),
  },
  sqlite: {
    style: "single-dash",
    values: "separator newline nullvalue mmap maxsize vfs",
    code: "init",
    flags: "readonly csv json header line column batch bail version help box table",
    sql: "cmd",
    sqlFrom: 1,
    judge: orders("cmd", 1),
  },
  duckdb: {
    style: "single-dash",
    values: "separator newline nullvalue",
    code: "init",
    flags: "readonly csv json header line column batch bail version help box table unsigned",
    sql: "c s cmd",
    sqlFrom: 1,
    judge: orders("c s cmd", 1),
  },
  "sqlcmd isql": { values: "S U P d h s W b i o l t v", sql: "Q q", writes: "o", judge: orders("Q q", 99) },
  "clickhouse-client clickhouse": {
    values: "h u d host user database port format",
    flags: "password multiquery version",
    sql: "q query",
  },
  "cqlsh trino presto snowsql spark-sql hive beeline impala-shell influx": {
    values: "u p k f server catalog schema user o d",
    sql: "e execute q query",
    verbs: { delete: { rules: [destroys()] } },
  },
  "mongosh mongo": { values: "host port u p username password eval", judge: mongo },
  "mongorestore mongoimport pg_restore": {
    values: "d db U h p n t j host port collection uri",
    rules: [destroys({ options: "drop clean" }), destroys({ options: "c", unless: "collection" })],
    flags: "if-exists create list",
  },
  "mysqladmin mariadb-admin": {
    values: "u h P S i c user host",
    flags: "password",
    verbs: {
      "drop shutdown kill flush-privileges flush-logs flush-tables refresh reload password create old-password stop-slave start-slave":
        { rules: [destroys()] },
      "status ping version processlist variables extended-status": { reads: true },
    },
  },
  "dropdb dropuser pg_dropcluster pg_resetwal pg_resetxlog": { rules: [destroys({ unless: "version help" })] },
  createuser: {
    rules: [
      { rule: "rights", why: "changes who may do what", options: "s superuser r createrole d createdb replication" },
    ],
  },
  pg_ctl: {
    values: "D l m o t",
    verbs: { "stop restart kill promote": { rules: [destroys()] }, status: { reads: true } },
  },
  "pg_dump pg_dumpall mysqldump mongodump mariadb-dump": {
    values: "h p U d n t u P db database host port user uri c collection T",
    writes: "f o file out archive result-file tab",
  },
  "redis-cli valkey-cli keydb-cli": {
    values: "h p a u s r i n x user pass d pattern count type uri",
    flags: "scan raw no-raw csv json tls version help bigkeys memkeys hotkeys stat latency verbose no-auth-warning",
    code: "eval",
    writes: "rdb functions-rdb",
    rules: [commands({ options: "pipe" })],
    stopsAtOperand: true,
    verbs: {
      "flushall flushdb FLUSHALL FLUSHDB FlushAll FlushDB swapdb SWAPDB": { rules: [destroys()] },
      "shutdown SHUTDOWN debug DEBUG slaveof SLAVEOF replicaof REPLICAOF migrate MIGRATE eval EVAL evalsha EVALSHA failover FAILOVER restore RESTORE":
        { rules: [commands()] },
      "config CONFIG": {
        rules: [commands({ operand: /^(?:set|rewrite|resetstat)$/i, at: 0 })],
        reads: "get GET",
      },
      "script SCRIPT module MODULE function FUNCTION acl ACL cluster CLUSTER client CLIENT": {
        rules: [
          commands({
            operand:
              /^(?:flush|load|loadex|unload|kill|delete|restore|setuser|deluser|reset|failover|forget|meet|save)$/i,
            at: 0,
          }),
        ],
      },
      "get GET info INFO keys KEYS dbsize DBSIZE ttl TTL type TYPE exists EXISTS scan SCAN ping PING mget MGET hgetall HGETALL hget HGET lrange LRANGE smembers SMEMBERS llen LLEN time TIME lastsave LASTSAVE slowlog SLOWLOG":
        { reads: true },
    },
  },
  rabbitmqctl: {
    values: "n p t node vhost timeout",
    verbs: {
      "reset force_reset stop stop_app shutdown purge_queue delete_queue delete_user delete_vhost clear_permissions forget_cluster_node":
        { rules: [destroys()] },
      eval: { rules: [commands()] },
      "add_user set_permissions set_user_tags change_password": {
        rules: [{ rule: "rights", why: "changes who may do what" }],
      },
      "status list_queues list_users list_vhosts list_exchanges list_connections cluster_status": { reads: true },
    },
  },
  "kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs kafka-configs.sh kafka-acls kafka-acls.sh kafka-delete-records kafka-delete-records.sh":
    {
      values: "bootstrap-server topic group command-config",
      flags: "list describe version help",
      rules: [destroys({ options: "delete delete-offsets delete-config remove" })],
    },
  mysqlimport: { values: "h P S u host port user", rules: [destroys({ options: "d D delete r replace" })] },
  etcdutl: { verbs: { "defrag restore": { rules: [destroys()] } } },
};
