// A virtual environment with the Python clients, made once and again when their list changes.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const REQUIREMENTS = join(import.meta.dirname, "../../e2e/clients/requirements.txt");

/** Returns the path of an interpreter that has the clients. Rejects where Python 3 or a package is missing. */
export async function pythonWithClients(): Promise<string> {
  const version = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 16);
  const home = resolve("node_modules/.cache/postel-clients");
  const ready = join(home, version);
  const python = join(ready, "bin/python");
  if (existsSync(python)) return python;
  mkdirSync(home, { recursive: true });
  // Two test files can get here at the same time: each builds in its own folder, and the first one that is done gives its folder the final name.
  const building = mkdtempSync(`${ready}.building-`);
  try {
    await run("python3", ["-m", "venv", building]);
    // pip runs as a module, because an environment's scripts hold its first path.
    await run(join(building, "bin/python"), ["-m", "pip", "install", "-q", "--no-input", "-r", REQUIREMENTS]);
    moveUnlessPresent(building, ready, python);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return python;
}

/** Renames `building` to `ready`. Keeps what another process has put there meanwhile. */
function moveUnlessPresent(building: string, ready: string, python: string): void {
  try {
    renameSync(building, ready);
  } catch (error) {
    if (!existsSync(python)) throw error;
  }
}
