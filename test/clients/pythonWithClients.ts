// A virtual environment with the Python clients, made once and again when their list changes. Knows no client.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");

/** The path of an interpreter that has the clients. Rejects where Python 3 or a package cannot be had. */
export async function pythonWithClients(): Promise<string> {
  const version = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 16);
  const home = resolve("node_modules/.cache/postel-clients");
  const ready = join(home, version);
  const python = join(ready, "bin/python");
  if (existsSync(python)) return python;
  mkdirSync(home, { recursive: true });
  const making = `${ready}.making`;
  rmSync(making, { recursive: true, force: true });
  await run("python3", ["-m", "venv", making]);
  // Run as a module, because the scripts of an environment that moves name its old place.
  await run(join(making, "bin/python"), ["-m", "pip", "install", "-q", "--no-input", "-r", REQUIREMENTS]);
  renameSync(making, ready);
  return python;
}
