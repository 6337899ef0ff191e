// Components of type `mcp`: tool servers, as programs or services. Checks the configuration only; starts nothing.
import { z } from "zod";
import type { McpComponent, McpConnection, McpLimits, ServedToolPolicy } from "../../core/config/mcpComponent.ts";
import { headers, identifier, integerField, listField, nonEmptyText, textField, webUrl } from "../fields.ts";
import { validatePackage } from "../load/optionalPackages.ts";
import { actionFields, type Fail } from "./actionFields.ts";
import {
  createVariablesField,
  findProgram,
  getSearchPath,
  type Machine,
  resolveEnvironment,
  resolveFolder,
} from "./programs.ts";

const HOUR_MS = 3_600_000;
const PACKAGE = "@modelcontextprotocol/client";

const { params: _, ...policyFields } = actionFields;

const actionSchema = z.strictObject({ id: nonEmptyText("the server's own name of a tool"), ...policyFields });

const commandWords = () => listField(nonEmptyText("a word (quote what looks like a number or a boolean)"), "words");
const patterns = () =>
  listField(nonEmptyText("a tool's name, `*` for anything"), "names of tools").min(1, { error: NO_NAMES });
const NO_NAMES = "expected at least one name of a tool, `*` for anything";

type Written = z.output<ReturnType<typeof fieldsSchema>>;

function fieldsSchema() {
  return z.strictObject({
    id: identifier(),
    type: z.literal("mcp"),
    command: commandWords().min(1, { error: "expected a list of words, the program first" }).optional(),
    cwd: nonEmptyText("a folder").optional(),
    env: createVariablesField(textField(), "`env` alone (one server serves all callers)").optional(),
    url: webUrl().optional(),
    headers: headers().optional(),
    tools: patterns().default(["*"]),
    except: patterns().default([]),
    ...policyFields,
    definitions: z
      .enum(["asked", "first_listed"], {
        error:
          "expected `asked`, where somebody agrees to each tool, or `first_listed`, where somebody agrees to what has changed",
      })
      .default("asked"),
    actions: listField(actionSchema, "tools with what is said of them").default([]),
    start_timeout_ms: integerField("milliseconds", 1, HOUR_MS).default(10_000),
    timeout_ms: integerField("milliseconds", 1, HOUR_MS).default(30_000),
    max_timeout_ms: integerField("milliseconds", 1, HOUR_MS).optional(),
    limits: limitsSchema().prefault({}),
  });
}

export function createMcpSchema(machine: Machine) {
  return fieldsSchema().transform((raw, context) => {
    const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
    const missing = validatePackage("mcp", [PACKAGE]);
    if (missing !== undefined) fail(["type"], missing);
    checkTimes(raw, fail);
    checkActions(raw, fail);
    const connection = toConnection(raw, machine, fail);
    if (!connection) return z.NEVER;
    const { type, id, tools, except, definitions, actions, limits, ...rest } = raw;
    const { start_timeout_ms, timeout_ms, max_timeout_ms = Math.max(USUAL_MAX, timeout_ms) } = rest;
    const server: McpComponent = {
      ...{ type, id, connection, tools, except, definitions, limits },
      policy: toPolicy(raw),
      policies: Object.fromEntries(actions.map((action) => [action.id, toPolicy(action)])),
      ...{ startTimeoutMs: start_timeout_ms, timeoutMs: timeout_ms, maxTimeoutMs: max_timeout_ms },
    };
    return { type, server };
  });
}

/** Milliseconds. */
const USUAL_MAX = 300_000;

function limitsSchema() {
  return z
    .strictObject({
      tools: integerField("tools", 1, 1_024).default(128),
      description_chars: integerField("characters", 16, 1_000_000).default(4_096),
      schema_bytes: integerField("bytes", 64, 1_048_576).default(32_768),
      schema_depth: integerField("levels", 2, 64).default(24),
      message_bytes: integerField("bytes", 1_024, 67_108_864).default(4_194_304),
    })
    .transform(
      (limits): McpLimits => ({
        tools: limits.tools,
        descriptionChars: limits.description_chars,
        schemaBytes: limits.schema_bytes,
        schemaDepth: limits.schema_depth,
        messageBytes: limits.message_bytes,
      }),
    );
}

/** Returns only the keys that are present: a policy of a tool overrides that of its server. */
function toPolicy(raw: ServedToolPolicy): ServedToolPolicy {
  const { approval, danger, async, repeatable, idempotent, untrusted, interrupts } = raw;
  const policy = Object.entries({ approval, danger, async, repeatable, idempotent, untrusted, interrupts });
  return Object.fromEntries(policy.filter(([, value]) => value !== undefined));
}

function toConnection(raw: Written, machine: Machine, fail: Fail): McpConnection | undefined {
  const { command, cwd, env, url, headers: sent } = raw;
  if ((command === undefined) === (url === undefined)) {
    fail([], "expected one of `command:`, a program that is started, and `url:`, a service that is asked");
    return undefined;
  }
  const others = url === undefined ? { headers: sent } : { cwd, env };
  for (const [key, value] of Object.entries(others))
    if (value !== undefined) fail([key], `expected no \`${key}\` beside \`${url === undefined ? "command" : "url"}\``);
  if (url !== undefined) return { type: "http", url, headers: sent ?? {} };
  return command && toProgram(command, raw, machine, fail);
}

function toProgram(
  command: readonly string[],
  { cwd: folder = ".", env: given = [] }: Written,
  machine: Machine,
  fail: Fail,
): McpConnection | undefined {
  const cwd = resolveFolder(machine.folder, folder);
  if (cwd === undefined) {
    fail(["cwd"], "expected an existing folder, absolute or relative to this file");
    return undefined;
  }
  const env = { PATH: getSearchPath(machine.env), ...resolveEnvironment(given, machine.env) };
  const found = findProgram(command[0] ?? "", cwd, env.PATH);
  if ("fault" in found) fail(["command", 0], found.fault);
  return { type: "stdio", command, program: "file" in found ? found.file : "", cwd, env };
}

function checkTimes({ timeout_ms: wait, max_timeout_ms: limit }: Written, fail: Fail): void {
  if (limit !== undefined && limit < wait) fail(["max_timeout_ms"], "expected at least `timeout_ms`");
}

function checkActions({ actions }: Written, fail: Fail): void {
  const seenIds = new Set<string>();
  actions.forEach(({ id }, at) => {
    if (seenIds.has(id)) fail(["actions", at, "id"], `expected each tool once; \`${id}\` stands here twice`);
    seenIds.add(id);
  });
}
