// Defines the command line. Each command is loaded when it is called.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Command, CommanderError } from "commander";
import { resolvePackageFile } from "../config/load/optionalPackages.ts";
import { PostelError } from "../core/failures.ts";
import { createRedact } from "../telemetry/redaction/createRedact.ts";
import { formatExample, parseInteger, withUpstream } from "./commands/flags.ts";
import { replaceWithCommands } from "./output/commandHints.ts";
import { EXIT_SIGPIPE, isBrokenPipe, writeError } from "./output/terminal.ts";

/** Runs one command; resolves with the exit status. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let status = 0;
  const program = await buildProgram(args, (code) => {
    status = code;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return status;
  } catch (error) {
    // Commander has already written its own message; `--help` and `--version` count as errors with status 0.
    if (error instanceof CommanderError) return error.exitCode;
    if (isBrokenPipe(error)) return EXIT_SIGPIPE;
    writeError(explain(error));
    return 1;
  }
}

function explain(error: unknown): string {
  if (error instanceof PostelError) return replaceWithCommands(error.message);
  // The content of an unexpected error is unknown; at least texts in the form of a key are redacted.
  return createRedact([])(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Starting the gateway loads only its own flags. */
async function buildProgram([command]: readonly string[], exit: (status: number) => void): Promise<Command> {
  const program = new Command("postel")
    .description("A gateway that makes any language model keep the OpenAI tool-call contract.")
    .version(packageVersion())
    // Error messages may contain arbitrary text of the command line, so they are sanitized.
    .configureOutput({ outputError: (message) => writeError(message.trimEnd()) })
    .exitOverride();
  addServe(program, exit);
  if (command !== "serve") (await import("./commands/otherCommands.ts")).addOtherCommands(program, exit);
  return program;
}

function addServe(program: Command, exit: (status: number) => void): void {
  withUpstream(program.command("serve"))
    .description("run the gateway")
    .option("--host <name>", "address to listen on (default: the configuration's, 127.0.0.1)")
    .option(
      "--port <number>",
      "port to listen on; 0: any free one (default: $PORT, then the configuration's, 7678)",
      parseInteger(0, 65_535),
    )
    .option("--record <dir>", "write every exchange with an upstream into this folder, as transcripts")
    .addHelpText("after", formatExample("postel serve --upstream http://localhost:11434/v1 --port 8080"))
    .action(async (options) => {
      // Loaded code survives collections, for which V8 would grow the young generation and keep 33 MB. `serve` allows growth
      // once it listens (decisions/0098).
      setFlagsFromString("--semi-space-growth-factor=1");
      exit(await (await import("./serve/serve.ts")).runServe(options));
    });
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(resolvePackageFile("package.json"), "utf8")) as {
    version: string;
  };
  return version;
}
