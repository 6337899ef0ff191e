// Where the package has its files, from its sources and from what is built of them. Reads none.
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

const MANIFEST = findPackageJSON("..", import.meta.url);

/** The path of what ships with the package, such as `config/models.yaml`. */
export function packaged(path: string): string {
  if (MANIFEST === undefined) throw new Error(`There is no package.json above ${import.meta.url}.`);
  return join(dirname(MANIFEST), path);
}
