// Finds the package's own files, and checks that the optional packages of a component type are installed. Imports none of
// them.
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

/** Path of a file that ships with the package, such as `config/models.yaml`; works from the sources and from the build. */
export function resolvePackageFile(path: string): string {
  const manifest = findPackageJSON("..", import.meta.url);
  if (manifest === undefined) throw new Error(`There is no package.json above ${import.meta.url}.`);
  return join(dirname(manifest), path);
}

/**
 * A message with the install command for the missing packages of a component type; undefined if all are installed. Versions
 * are not compared. @param kind the component's type. @param packages of the `peerDependencies` in package.json. @param from
 * URL of the file that would import them.
 */
export function validatePackage(
  kind: string,
  packages: readonly string[],
  from: string = import.meta.url,
): string | undefined {
  const missing = packages.filter((name) => !isInstalled(name, from));
  if (missing.length === 0) return undefined;
  const ranges = peerRanges();
  const key = missing.map((name) => `${name}@${ranges[name]}`);
  const noun = missing.length === 1 ? "the package" : "the packages";
  return `\`type: ${kind}\` needs ${noun} ${missing.join(" and ")}; run \`npm i ${key.join(" ")}\``;
}

function isInstalled(name: string, from: string): boolean {
  try {
    return findPackageJSON(name, from) !== undefined;
  } catch {
    return false;
  }
}

function peerRanges(): Readonly<Record<string, string>> {
  const file = readFileSync(resolvePackageFile("package.json"), "utf8");
  return (JSON.parse(file) as { readonly peerDependencies: Readonly<Record<string, string>> }).peerDependencies;
}
