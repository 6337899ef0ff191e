#!/usr/bin/env node
// Checks that Node is new enough to read the rest, then argv → a cli command, nothing else.

/** The major version of `engines.node` in package.json. */
const NEEDED = 24;

const running = process.versions.node;
if (Number.parseInt(running, 10) < NEEDED) {
  process.stderr.write(
    `Postel needs Node ${NEEDED} or newer; this is Node ${running}. Get it from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
} else {
  // Imported late: what an older Node cannot read must not be loaded before it was told so.
  const { setUpCompileCache } = await import("./cli/serve/compileCache.ts");
  setUpCompileCache();
  const { endWithReader } = await import("./cli/output/terminal.ts");
  endWithReader();
  const { runCommandLine } = await import("./cli/runCommandLine.ts");
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
