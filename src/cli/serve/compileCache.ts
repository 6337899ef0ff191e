// Enables Node's compile cache, which saves a third of the start time.
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Uses Node's own folder under the temporary directory, unless the operator names one (`NODE_COMPILE_CACHE`) or disables it
 * (`NODE_DISABLE_COMPILE_CACHE=1`). Cached code is executed, so the folder must belong to this user and be writable for
 * nobody else. Without a cache only the start is slower.
 */
export function setUpCompileCache(): void {
  if (process.env.NODE_COMPILE_CACHE) return;
  try {
    const folder = join(tmpdir(), "node-compile-cache");
    // Node would make the folder readable for others.
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    if (isOurs(folder)) enableCompileCache(folder);
  } catch {
    // The file system is read-only or full.
  }
}

function isOurs(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  const others = 0o022;
  return uid === (process.getuid?.() ?? uid) && (mode & others) === 0;
}
