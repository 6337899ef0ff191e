// Rewrites `package.json` of the working directory for the container image: optional peer packages become dependencies,
// and development packages are removed. The Dockerfile runs it before `npm prune`.
import { readFileSync, writeFileSync } from "node:fs";

/** Version ranges by package name. */
type Ranges = Readonly<Record<string, string>>;

const {
  devDependencies: _,
  peerDependencies,
  peerDependenciesMeta: __,
  ...manifest
} = JSON.parse(readFileSync("package.json", "utf8")) as Record<
  "dependencies" | "devDependencies" | "peerDependencies" | "peerDependenciesMeta",
  Ranges
>;

const dependencies = { ...manifest.dependencies, ...peerDependencies };
writeFileSync("package.json", `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`);
