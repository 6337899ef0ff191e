// Lets Node keep what it compiles, so that the next start need not: a third of a start's work. Knows no command.
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * In Node's own folder under the temporary directory, unless an operator names one (`NODE_COMPILE_CACHE`) or wants none
 * (`NODE_DISABLE_COMPILE_CACHE=1`). What lies there is run, so it must be this user's, and writable for nobody else. Where none can
 * be had, a start takes longer and that is all.
 */
export function setUpCompileCache(): void {
  if (process.env.NODE_COMPILE_CACHE) return;
  try {
    const folder = join(tmpdir(), "node-compile-cache");
    // Node would let others read it.
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    if (isOurs(folder)) enableCompileCache(folder);
  } catch {
    // A file system that is read-only, or full.
  }
}

function isOurs(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  const others = 0o022;
  return uid === (process.getuid?.() ?? uid) && (mode & others) === 0;
}
