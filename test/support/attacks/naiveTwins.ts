// The obvious wrong implementations, which the attacks must get through, or they would show nothing. Never for anything but tests.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A command spliced into a shell's text. */
export function splicedCommand(value: string, cwd: string): void {
  try {
    execFileSync("bash", ["-c", `printf '%s' ${value}`], { cwd, stdio: "ignore", timeout: 10_000 });
  } catch {
    // What it ended with says nothing; what it did counts.
  }
}

/** A whole command, given to a shell. */
export function wholeCommand(value: string, cwd: string): void {
  try {
    execFileSync("bash", ["-c", value], { cwd, stdio: "ignore", timeout: 10_000 });
  } catch {
    // As above.
  }
}

/** A path joined to its folder, without a look at where that leads. */
export function joinedRead(folder: string, path: string): string {
  try {
    return readFileSync(join(folder, path), "utf8");
  } catch {
    return "";
  }
}

export function joinedWrite(folder: string, path: string, content: string): void {
  try {
    writeFileSync(join(folder, path), content);
  } catch {
    // There is no such folder.
  }
}
