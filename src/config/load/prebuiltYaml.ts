// The plain data of a YAML file as it was prepared beside it: a start need not parse what ships with the package. Knows no field, and believes nothing that was prepared of another text.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";

/** What stands beside `NAME.yaml` as `NAME.json`. */
interface Prepared {
  /** Of the YAML's text, in hexadecimal. */
  readonly sha256: string;
  readonly value: unknown;
}

/** Undefined where nothing was prepared of the text that the file has now: then it is to be read itself. */
export function readPrebuilt(file: string): unknown {
  try {
    const prepared = JSON.parse(readFileSync(getPrebuiltPath(file), "utf8")) as Prepared;
    return prepared.sha256 === fingerprint(readFileSync(file, "utf8")) ? prepared.value : undefined;
  } catch {
    return undefined;
  }
}

/** The text to be written into `getPrebuiltPath`, of a YAML text that takes nothing from the environment. */
export function prepare(text: string, value: unknown): string {
  const prepared: Prepared = { sha256: fingerprint(text), value };
  return `${JSON.stringify(prepared)}\n`;
}

export function getPrebuiltPath(file: string): string {
  return file.replace(/\.ya?ml$/, ".json");
}

function fingerprint(text: string): string {
  return hash("sha256", text, "hex");
}
