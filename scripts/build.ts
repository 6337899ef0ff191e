// Makes `dist` of the sources: what is imported at once is one file, what may wait is another, and packages stay where they are, but for the SDK. Installs nothing.
// usage: build.ts [FOLDER]
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SDK = join(ROOT, "node_modules/openai");
const folder = resolve(process.argv[2] ?? join(ROOT, "dist"));

/** What is run or imported by its name; a thread is run by the name that stands beside the file that starts it. */
const ENTRIES = {
  main: "src/main.ts",
  gateway: "src/gateway/createGateway.ts",
  parser: "src/parser.ts",
  "parts/extract/worker": "src/tools/web/extract/worker.ts",
};

const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
const types = ["-p", ROOT, "--outDir", folder, "--emitDeclarationOnly"];
if (spawnSync(process.execPath, [compiler, ...types], { stdio: "inherit" }).status !== 0) process.exit(1);
await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES,
  outdir: folder,
  chunkNames: "parts/[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  // 118 files of the SDK are a part of their own, with its licence beside it (docs/internals/decisions/0098).
  alias: { openai: join(SDK, "index.mjs") },
  format: "esm",
  platform: "node",
  target: "node24",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
});
copyFileSync(join(SDK, "LICENSE"), join(folder, "parts/openai.LICENSE"));
