// Builds `dist` from the sources: type declarations, and bundles for the program, the library and the parser.
// Code that loads lazily goes into files of its own. Packages stay external, except the OpenAI SDK.
// Usage: build.ts [FOLDER]
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SDK = join(ROOT, "node_modules/openai");
const folder = resolve(process.argv[2] ?? join(ROOT, "dist"));

/** The entry points by output name. The worker's name is the one that its starting module expects beside it. */
const ENTRY_POINTS = {
  main: "src/main.ts",
  gateway: "src/gateway/createGateway.ts",
  parser: "src/parser.ts",
  "parts/extract/worker": "src/tools/web/extract/worker.ts",
};

const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
const compilerOptions = ["-p", ROOT, "--outDir", folder, "--emitDeclarationOnly"];
if (spawnSync(process.execPath, [compiler, ...compilerOptions], { stdio: "inherit" }).status !== 0) process.exit(1);
await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRY_POINTS,
  outdir: folder,
  chunkNames: "parts/[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  // Bundling the SDK saves loading 118 files. Its licence is copied beside it (docs/internals/decisions/0098).
  alias: { openai: join(SDK, "index.mjs") },
  format: "esm",
  platform: "node",
  target: "node24",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
});
copyFileSync(join(SDK, "LICENSE"), join(folder, "parts/openai.LICENSE"));
