// The texts of a folder's TypeScript files, by their path below it. Judges nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Paths have forward slashes. */
export function readSources(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return new Map(files.sort().map((file) => [file.replaceAll("\\", "/"), readFileSync(join(folder, file), "utf8")]));
}
