// The configuration of a recorded database, read in the folder where a copy of the database lies.
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../../../src/core/config/configuration.ts";
import { readConfig } from "../gatewayModules.ts";

export interface RecordedDatabase {
  /** Of Postel, as package.json has it. */
  readonly version: string;
  /** Where the copy lies. */
  readonly folder: string;
  readonly env: { readonly MODELS: string; readonly SERVICE: string };
}

/** Copies `postel.yaml` of that version into the folder. @throws PostelError `invalid_configuration`. */
export function readRecordedConfig({ version, folder, env }: RecordedDatabase): Config {
  const file = join(folder, "postel.yaml");
  copyFileSync(resolve("fixtures/databases", version, "postel.yaml"), file);
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
}
