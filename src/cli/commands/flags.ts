// Flags that several commands share, and the format of examples.
import { type Command, InvalidArgumentError } from "commander";

export function withConfig(command: Command): Command {
  return command.option("--config <file>", "the gateway's configuration (default: config/postel.yaml of the package)");
}

export function withUpstream(command: Command): Command {
  return withConfig(command)
    .option("--upstream <url>", "base URL of an OpenAI-compatible server; every model name goes there")
    .option("--upstream-key-env <name>", "environment variable that holds the upstream's key");
}

/** Adds `--store`, which also names the store of the terminal's own commands. */
export function withOwnStore(command: Command): Command {
  const defaultText = "default: `store.file` of the configuration, else this user's own";
  return command.option("--store <file>", `where sessions, runs and what was learnt are kept (${defaultText})`);
}

export function asJson(command: Command): Command {
  return command.option("--json", "as JSON", false);
}

/** Text below the help of a command. */
export function formatExample(line: string): string {
  return `\nExample:\n  $ ${line}\n`;
}

/** Collects all values of a repeatable flag. */
export function collectOption(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Parses an integer from `least` to `most`; refuses anything else with commander's error. */
export function parseInteger(least: number, limit: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= limit) return number;
    throw new InvalidArgumentError(`expected a number from ${least} to ${limit}`);
  };
}
