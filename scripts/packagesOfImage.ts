// Makes the package.json of the folder that it runs in that of the image: what a kind of component alone needs is needed, and nothing that develops is. For the Dockerfile; installs nothing.
import { readFileSync, writeFileSync } from "node:fs";

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
