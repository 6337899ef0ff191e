#!/usr/bin/env node
// Checks the version of Node, then runs the CLI command.

/** The major version of `engines.node` in package.json. */
const NEEDED = 24;

const running = process.versions.node;
if (Number.parseInt(running, 10) < NEEDED) {
  process.stderr.write(
    `Postel needs Node ${NEEDED} or newer; this is Node ${running}. Get it from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
} else {
  // Imported dynamically, because an older Node must get the message above before it fails to parse these modules.
  const { setUpCompileCache } = await import("./cli/serve/compileCache.ts");
  setUpCompileCache();
  const { endWithReader } = await import("./cli/output/terminal.ts");
  endWithReader();
  const { runCommandLine } = await import("./cli/runCommandLine.ts");
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
