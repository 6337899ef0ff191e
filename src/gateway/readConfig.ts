// Reads the configuration with the names that the modules of the gateway define.
import type { KnownNames } from "../config/load/KnownNames.ts";
import { type ConfigSources, loadConfig } from "../config/load/loadConfig.ts";
import { resolvePackageFile } from "../config/load/optionalPackages.ts";
import { readModelRow } from "../config/models/modelProfiles.ts";
import type { Config } from "../core/config/configuration.ts";
import type { ModelProfile } from "../core/models/capabilities.ts";
import { CHAT_TEMPLATES, FORMAT_IDS, REASONING } from "../formats/specs/lookupTables.ts";
import { QUIRKS } from "../models/request/quirks.ts";
import { validateAddress, WIRE_IDS, wireOfUrl } from "../models/wires/registry.ts";
import { createHostPolicy, isAllowEntry, saysPublic } from "../network/policy/hostPolicy.ts";
import { validateCommand } from "../tools/shell/validateCommand.ts";
import { listBuiltInNames } from "./openRegistry.ts";

export interface ConfigFiles extends Pick<ConfigSources, "file" | "flags"> {
  /** Path of the shipped model profiles. Default: `config/models.yaml` of this package. */
  readonly modelsFile?: string | undefined;
  /** Environment variables that the file may refer to. Default: those of this process. */
  readonly env?: ConfigSources["env"] | undefined;
}

/**
 * Reads the configuration of a gateway from `postel.yaml`, the model profiles and the environment. The result is frozen.
 *
 * @throws PostelError `invalid_configuration`. Its message has one line per fault, `file:line:column field: what is
 *   expected`; `details.faults` has the same lines as a list.
 */
export function readConfig({ file, modelsFile, env = process.env, flags }: ConfigFiles): Config {
  const known = listKnownNames();
  return loadConfig({ file, modelsFile: modelsFile ?? resolvePackageFile("config/models.yaml"), env, flags, known });
}

/** Parses a profile from a recording. @throws PostelError `invalid_configuration`. */
export function parseModelProfile(written: unknown): ModelProfile {
  return readModelRow(written, listKnownNames());
}

function listKnownNames(): KnownNames {
  return {
    families: FORMAT_IDS,
    reasoningMarks: new Set(REASONING.map(({ id }) => id)),
    wires: new Set(CHAT_TEMPLATES.map(({ id }) => id)),
    upstreamWires: WIRE_IDS,
    addressFault: validateAddress,
    hostFault: (url, allow) => createHostPolicy(allow).writtenFault(new URL(url).hostname),
    saysPublic: (url) => saysPublic(new URL(url).hostname),
    isAllowEntry,
    quirks: new Set(QUIRKS.keys()),
    parseServerUrl: wireOfUrl,
    commandFaults: validateCommand,
    tools: new Set(listBuiltInNames()),
  };
}
