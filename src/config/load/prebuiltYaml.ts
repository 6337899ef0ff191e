// Reads prebuilt JSON of a shipped YAML file, which makes the start faster. Ignores it if the YAML text has changed.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Content of `NAME.json` next to `NAME.yaml`. */
interface Prepared {
  /** Hash of the YAML text, in hexadecimal. */
  readonly sha256: string;
  readonly value: unknown;
}

/** Returns undefined if no prebuilt data matches the present text; then the YAML must be parsed. */
export function readPrebuilt(file: string): unknown {
  try {
    const prebuilt = JSON.parse(readFileSync(getPrebuiltPath(file), "utf8")) as Prepared;
    return prebuilt.sha256 === fingerprint(readFileSync(file, "utf8")) ? prebuilt.value : undefined;
  } catch {
    return undefined;
  }
}

/** The content of `getPrebuiltPath` for a YAML text that uses no environment variables. */
export function prepare(text: string, value: unknown): string {
  const prebuilt: Prepared = { sha256: fingerprint(text), value };
  return `${JSON.stringify(prebuilt)}\n`;
}

export function getPrebuiltPath(file: string): string {
  return file.replace(/\.ya?ml$/, ".json");
}

function fingerprint(text: string): string {
  return hash("sha256", text, "hex");
}
