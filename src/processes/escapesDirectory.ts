// Checks if a relative path leads out of a folder once its links are followed. Opens nothing.
import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Returns the reason why a path leads out of the folder, or undefined if none does. A path that does not exist yet counts as its nearest existing folder.
 * @param folder absolute, without links.
 */
export async function findEscape(folder: string, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths)
    if (!(await isInside(folder, path))) return `the path ${JSON.stringify(path)} leads out of the folder.`;
  return undefined;
}

async function isInside(folder: string, path: string): Promise<boolean> {
  for (let at = join(folder, path); isBelow(folder, at); at = dirname(at)) {
    try {
      return isBelow(folder, await realpath(at));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") return false;
      // A write through a link without a target would create the target.
      if (code === "ENOENT" && (await isThere(at))) return false;
    }
  }
  return false;
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
