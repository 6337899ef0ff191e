// Loads both files and the environment into one frozen Config, or reports all faults at once. Runs nothing.
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Config, ServerConfig } from "../../core/config/configuration.ts";
import { Secrets } from "../../core/config/Secrets.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject } from "../../core/messages.ts";
import { resolveAgentConfig } from "../agents/resolveAgentConfig.ts";
import { collectKnownTools } from "../agents/toolReferences.ts";
import { createGatewaySchema } from "../gatewaySchema.ts";
import { createModelProfilesSchema } from "../models/modelProfiles.ts";
import { validateBind } from "../sections/checkBindAddress.ts";
import { validateHosts } from "../sections/egress.ts";
import { validateMemory } from "../sections/memory.ts";
import { validateOwners } from "../sections/owners.ts";
import { checkWorkflows } from "../workflows/checkWorkflows.ts";
import { completeWorkflows } from "../workflows/runnables.ts";
import type { ConfigIssue } from "./ConfigIssue.ts";
import { checkReferences } from "./checkReferences.ts";
import { collectDeclared, type Declared } from "./collectDeclared.ts";
import { collectEnvironmentSecrets, collectLiteralKeys, unnamedSecrets } from "./collectSecrets.ts";
import { explainIssues } from "./explainIssues.ts";
import { hoistInlineComponents } from "./hoistInlineComponents.ts";
import { findSplicedHosts } from "./interpolatedHosts.ts";
import type { Environment } from "./interpolateEnvironment.ts";
import type { KnownNames } from "./KnownNames.ts";
import { readPrebuilt } from "./prebuiltYaml.ts";
import { readYaml, type YamlFile } from "./readYaml.ts";

export interface ConfigSources {
  /** The gateway's own file, `postel.yaml`. */
  readonly file: string;
  /** Path of the shipped model profiles, `models.yaml`. */
  readonly modelsFile: string;
  readonly env: Environment;
  readonly known: KnownNames;
  /** Command line flags override the file and follow the same rules. */
  readonly flags?: AddressFlags | undefined;
}

export interface AddressFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

/**
 * @throws PostelError `invalid_configuration`. Its message has one line per fault, `file:line:column field: what is
 * expected`; `details.faults` has the same lines as a list.
 */
export function loadConfig(sources: ConfigSources): Config {
  const { file, env, known } = sources;
  const gateway = checkFile(file, createGatewaySchema(known, { folder: dirname(file), env }), sources);
  const rowsSchema = z.strictObject({ models: createModelProfilesSchema(sources.known) });
  const rows = checkPrepared(sources.modelsFile, rowsSchema) ?? checkFile(sources.modelsFile, rowsSchema, sources);
  const declared = gateway.type === "ok" ? collectDeclared(gateway.value, sources.known) : undefined;
  const laterIssues = gateway.type === "ok" && declared ? checkComplete(gateway, declared, sources) : [];
  const faults = [...gateway.faults, ...rows.faults, ...laterIssues];
  if (!declared || gateway.type === "refused" || rows.type === "refused" || faults.length > 0)
    throw createConfigError(faults);
  const { models, agents: _, workflow: __, owners, ...rest } = gateway.value;
  const tools = [...declared.tools, ...declared.servers].map(({ is }) => is);
  const toolsKnown = collectKnownTools(declared, sources.known.tools);
  const interpolated = [...gateway.yaml.filled, ...rows.yaml.filled];
  return deepFreeze({
    ...rest,
    server: applyFlags(rest.server, sources.flags),
    models: rows.value.models,
    operatorModels: models,
    upstreams: declared.upstreams.map(({ is }) => is),
    components: tools,
    agents: declared.agents.map(({ is }) => resolveAgentConfig(is, toolsKnown, rest.limits)),
    credentials: owners.credentials,
    workflows: completeWorkflows(declared),
    secrets: new Secrets(
      [...collectEnvironmentSecrets(interpolated), ...collectLiteralKeys(gateway.yaml.value)],
      unnamedSecrets(interpolated),
    ),
  });
}

type Checked<T> =
  | { readonly type: "ok"; readonly value: T; readonly yaml: YamlFile; readonly faults: readonly string[] }
  | { readonly type: "refused"; readonly faults: readonly string[] };

/** Returns undefined if the YAML file itself must be read: no prebuilt data exists, or it is invalid and the reason has to be found. */
function checkPrepared<T>(file: string, schema: z.ZodType<T>): Checked<T> | undefined {
  const value = readPrebuilt(file);
  const result = value === undefined ? undefined : schema.safeParse(value);
  return result?.success ? { type: "ok", value: result.data, yaml: readOrThrow(value), faults: [] } : undefined;
}

function readOrThrow(value: unknown): YamlFile {
  return {
    value,
    faults: [],
    filled: [],
    getOffset: () => 0,
    placeOf: (path) => path,
    getPosition: () => ({ line: 1, column: 1 }),
  };
}

function checkFile<T>(
  file: string,
  schema: z.ZodType<T>,
  { env, known }: Pick<ConfigSources, "env" | "known">,
): Checked<T> {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : "cannot be read";
    return { type: "refused", faults: [`${file}: the file ${reason}`] };
  }
  const yaml = hoistInlineComponents(readYaml(content, env), known.tools);
  const unread = yaml.faults.map((fault) => describe(file, yaml, fault));
  if (yaml.value === undefined) return { type: "refused", faults: unread };
  const result = schema.safeParse(yaml.value);
  if (result.success)
    return unread.length > 0
      ? { type: "refused", faults: unread }
      : { type: "ok", value: result.data, yaml, faults: [] };
  const fieldsWithIssue = new Set(yaml.faults.map((fault) => fault.field));
  const explanations = explainIssues(result.error.issues, schema, yaml.value)
    .filter(({ path, key }) => key !== undefined || !fieldsWithIssue.has(yaml.placeOf(path).join(".")))
    .map(({ path, key, message }) => {
      const field = [...yaml.placeOf(path), ...(key === undefined ? [] : [key])].join(".");
      return describe(file, yaml, { offset: yaml.getOffset(path, key), field, message });
    });
  return { type: "refused", faults: [...unread, ...explanations] };
}

/** Faults that need a valid schema first: references between sections, and folders on the disk. */
function checkComplete(
  gateway: Extract<Checked<z.output<ReturnType<typeof createGatewaySchema>>>, { type: "ok" }>,
  declared: Declared,
  { file, known, flags }: ConfigSources,
): readonly string[] {
  const folderIssues = gateway.value.upstreams.flatMap((upstream, index) =>
    upstream.type !== "recorded" || statSync(upstream.transcripts, { throwIfNoEntry: false })?.isDirectory()
      ? []
      : [{ path: ["upstreams", index, "transcripts"], message: "expected an existing folder, relative to this file" }],
  );
  const bind = validateBind(applyFlags(gateway.value.server, flags));
  const byFlag = bind !== undefined && flags?.host !== undefined ? [`--host ${flags.host}: ${bind}`] : [];
  const section = isObject(gateway.yaml.value) && gateway.yaml.value.controller ? "controller" : "server";
  const inFile = bind !== undefined && byFlag.length === 0 ? [{ path: [section, "host"], message: bind }] : [];
  return [
    ...byFlag,
    ...[
      ...inFile,
      ...findSplicedHosts(gateway.yaml.filled),
      ...validateHosts(gateway.value, known),
      ...validateOwners(gateway.value.owners, gateway.value.server.apiKeys, declared.tools),
      ...validateMemory(gateway.value.memory, declared),
      ...checkReferences(declared, gateway.value.aliases, known),
      ...checkWorkflows(declared),
      ...folderIssues,
    ].map(({ path, message }) =>
      describe(file, gateway.yaml, {
        offset: gateway.yaml.getOffset(path),
        field: gateway.yaml.placeOf(path).join("."),
        message,
      }),
    ),
  ];
}

function applyFlags(server: ServerConfig, { host = server.host, port = server.port }: AddressFlags = {}): ServerConfig {
  return { ...server, host, port };
}

function describe(file: string, yaml: YamlFile, fault: ConfigIssue): string {
  const { line, column } = yaml.getPosition(fault.offset);
  return `${file}:${line}:${column}${fault.field && ` ${fault.field}`}: ${fault.message}`;
}

function createConfigError(faults: readonly string[]): PostelError {
  const message = `The configuration is refused:\n${faults.join("\n")}`;
  return new PostelError(createFailure("invalid_configuration", message, { faults }));
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    for (const item of Object.values(value)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}
