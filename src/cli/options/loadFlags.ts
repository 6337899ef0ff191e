// Loads the Config of a command from flags and environment.
import { resolve } from "node:path";
import { isOneLine } from "../../config/fields.ts";
import type { AddressFlags } from "../../config/load/loadConfig.ts";
import { resolvePackageFile } from "../../config/load/optionalPackages.ts";
import type { Config, UpstreamConfig } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { readConfig } from "../../gateway/readConfig.ts";

export interface ConfigFlags {
  readonly config?: string | undefined;
}

export interface StoreFlags extends ConfigFlags {
  /** The store's file, instead of the configuration's. */
  readonly store?: string | undefined;
}

export interface UpstreamFlags extends ConfigFlags {
  readonly upstream?: string | undefined;
  readonly upstreamKeyEnv?: string | undefined;
}

/** @throws PostelError `invalid_configuration` that lists every fault. */
export function loadFlags(flags: ConfigFlags, address?: AddressFlags): Config {
  const files = { file: resolveConfigFile(flags), modelsFile: resolvePackageFile("config/models.yaml") };
  return readConfig({ ...files, env: process.env, flags: address });
}

/**
 * Same as `loadFlags`; `--upstream` replaces the configured upstreams, except components that agents call. @throws
 * PostelError as it does.
 */
export function loadWithUpstream(flags: UpstreamFlags, address?: AddressFlags): Config {
  const config = loadFlags(flags, address);
  if (flags.upstream !== undefined) {
    const components = config.upstreams.filter(({ type, ...rest }) => type === "server" && "model" in rest);
    return { ...config, upstreams: [...components, createUpstream(flags.upstream, flags.upstreamKeyEnv)] };
  }
  if (flags.upstreamKeyEnv !== undefined)
    refuse("--upstream-key-env", "it says whose key only together with --upstream");
  return config;
}

/** The file that `--config` means. */
export function resolveConfigFile(flags: ConfigFlags): string {
  return flags.config === undefined ? resolvePackageFile("config/postel.yaml") : resolve(flags.config);
}

/** The store file of `--store`, else of the configuration; undefined if neither names one. */
export function storeFile({ store }: Pick<Config, "store">, flags: StoreFlags): string | undefined {
  return flags.store === undefined ? store.file : resolve(flags.store);
}

function createUpstream(url: string, keyVariable: string | undefined): UpstreamConfig {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol !== "http:" && base?.protocol !== "https:") {
    refuse("--upstream", "expected a base URL such as http://localhost:11434/v1");
  }
  if (base.username !== "" || base.password !== "")
    refuse("--upstream", "expected a URL without user and password; --upstream-key-env takes the key");
  const apiKey = keyVariable === undefined ? undefined : process.env[keyVariable];
  if (keyVariable !== undefined && !apiKey)
    refuse("--upstream-key-env", `the environment variable ${keyVariable} is not set`);
  if (!isOneLine(apiKey ?? ""))
    refuse(
      "--upstream-key-env",
      `${keyVariable} holds control characters, such as a line break at its end; take them out`,
    );
  return {
    type: "server",
    wire: "openai",
    parse: "on",
    id: "upstream",
    baseUrl: url.replace(/\/+$/, ""),
    ...(apiKey && { apiKey }),
    headers: {},
    models: ["*"],
  };
}

function refuse(flag: string, message: string): never {
  throw new PostelError(createFailure("invalid_configuration", `${flag}: ${message}.`));
}
