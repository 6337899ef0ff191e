// What a clean clone would hold: the files that git knows, or would know, in a folder of their own. Installs nothing.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";

export function cleanClone(folder: string): void {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
  for (const file of listed.trimEnd().split("\n")) cpSync(file, join(folder, file));
}
