// The commands, their flags and their help. Knows no command's work: each is loaded when it is called.
import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { PostelError } from "../core/failures.ts";
import { RUN_STATUSES, SESSION_MODES } from "../core/stores.ts";
import { createRedact } from "../telemetry/createRedact.ts";
import { READER_LEFT, tellsReaderLeft, writeError } from "./terminal.ts";

/** Runs one command; resolves with the exit status. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let status = 0;
  const program = buildProgram((code) => {
    status = code;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return status;
  } catch (error) {
    // Commander has already written its own message; `--help` and `--version` count as errors with status 0.
    if (error instanceof CommanderError) return error.exitCode;
    if (tellsReaderLeft(error)) return READER_LEFT;
    writeError(explain(error));
    return 1;
  }
}

function explain(error: unknown): string {
  if (error instanceof PostelError) return error.message;
  // Nobody foresaw what it says; at least what has the form of a key stays out.
  return createRedact([])(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function buildProgram(exit: (status: number) => void): Command {
  const program = new Command("postel")
    .description("A gateway that makes any language model keep the OpenAI tool-call contract.")
    .version(packageVersion())
    // What it refuses are words of the command line, which may be anybody's.
    .configureOutput({ outputError: (message) => writeError(message.trimEnd()) })
    .exitOverride();
  addTalking(program, exit);
  addChat(program, exit);
  addReading(program, exit);
  addLists(program, exit);
  addAgent(program.command("agent").description("what the configuration says of an agent"), exit);
  addData(program.command("data").description("what the store keeps of an owner, and a copy of it all"), exit);
  addAudit(
    program.command("audit").description("who asked, what ran and who decided: the record, and whether it is sound"),
    exit,
  );
  return program;
}

/** Commands that talk to an upstream. */
function addTalking(program: Command, exit: (status: number) => void): void {
  withUpstream(program.command("serve"))
    .description("run the gateway")
    .option("--host <name>", "address to listen on (default: the configuration's, 127.0.0.1)")
    .option(
      "--port <number>",
      "port to listen on; 0: any free one (default: $PORT, then the configuration's, 7678)",
      whole(0, 65_535),
    )
    .option("--record <dir>", "write every exchange with an upstream into this folder, as transcripts")
    .addHelpText("after", example("postel serve --upstream http://localhost:11434/v1 --port 8080"))
    .action(async (options) => exit(await (await import("./serve.ts")).serve(options)));
  addRuns(program, exit);
}

function addRuns(program: Command, exit: (status: number) => void): void {
  withRun(program.command("run"))
    .description("run an agent on one task, here in the terminal")
    .argument("[task]", "what is to be done, -: standard input; with --action or --input in the place of the action's")
    .option("--model <name>", "the model (default: the agent's own, else the first listed one that answers)")
    .option("--agent <id>", "the configured agent that takes the task")
    .option("--action <id>", "which of the agent's actions is asked")
    .option(
      "--input <given>",
      "what the agent is asked with: name=value, a JSON object, or @file; again for more",
      added,
    )
    .option(
      "--workflow <id>",
      "the configured workflow that is run instead, with --input; its response is what is written",
    )
    .option("--resume <run>", "go on with a kept run that waits or was left, instead of a new one")
    .option("--record <dir>", "write the exchanges with the upstream into this folder, as a transcript")
    .option("--dry-run", "show what a model would be asked first, and ask nobody", false)
    .addHelpText("after", example('postel run "What is 17 times 23?" --model leaked-xml'))
    .action(async (task, options) =>
      exit(
        options.dryRun
          ? await (await import("./run/dryRun.ts")).dryRun(task, options)
          : await (await import("./run/runTask.ts")).runTask(task, options),
      ),
    );

  withRun(program.command("record"))
    .description("run an agent on one task and write what the upstream said into a transcript")
    .argument("<dir>", "folder for the transcript")
    .argument("<task>", "what is to be done")
    .option("--model <name>", "the model (default: the agent's own, else the first listed one that answers)")
    .option("--agent <id>", "the configured agent that takes the task")
    .addHelpText(
      "after",
      example('postel record recordings "What is 6 times 7?" --upstream http://localhost:11434/v1 --model my-model'),
    )
    .action(async (dir, task, options) =>
      exit(await (await import("./run/runTask.ts")).runTask(task, { ...options, record: dir })),
    );
}

function addChat(program: Command, exit: (status: number) => void): void {
  withOwnStore(withUpstream(program.command("chat")))
    .description("talk with an agent, here in the terminal or in a pipe; sessions are kept")
    .option("--agent <id>", "the configured agent (default: the session's, else the default one)")
    .addOption(new Option("--mode <mode>", "how it answers: with its tools, or in words alone").choices(SESSION_MODES))
    .option("--model <name>", "the model (default: the agent's own, else the first listed one that answers)")
    .option(
      "--session [id]",
      "the session that is gone on with; without an id the one that was used last (default: a new one)",
    )
    .addHelpText("after", example("postel chat --model leaked-xml"))
    .action(async (options) => exit(await (await import("./chat/chat.ts")).chat(options)));
}

/** Commands that need no network. */
function addReading(program: Command, exit: (status: number) => void): void {
  withConfig(program.command("parse"))
    .description("show what the parser makes of a model's text")
    .option("--text <text>", "the model's text (default: standard input)")
    .option("--tools <file>", "JSON file with the offered tools, as in an OpenAI request")
    .option("--model <name>", "the model that wrote it: its row says which formats to expect")
    .option("--tool-mode <mode>", "how the model was given its tools: native (the default) or text")
    .option("--explain", "show the text span by span: what took it, what was repaired, why it is no call", false)
    .option(
      "--jsonl",
      "read a JSON request a line from standard input, answer each with a line; --tools, --model and --tool-mode hold where a line says nothing",
      false,
    )
    .addHelpText(
      "after",
      example('postel parse --tools tools.json --text \'<tool_call>{"name": "clock"}</tool_call>\''),
    )
    .action(async (options) => exit(await (await import("./parseText.ts")).parseText(options)));

  withConfig(program.command("replay"))
    .description("run recorded transcripts through the whole gateway and compare with what they expect")
    .argument("<dir>", "folder of transcripts")
    .option("--update", "write what was found into the transcripts as their expectation", false)
    .addHelpText("after", example("postel replay fixtures/transcripts"))
    .action(async (dir, options) => exit(await (await import("./replayFolder.ts")).replayFolder(dir, options)));

  withConfig(program.command("validate"))
    .description("check the configuration and say every fault in it")
    .addHelpText("after", example("postel validate --config config/postel.yaml"))
    .action(async (options) => exit(await (await import("./validateConfig.ts")).validateConfig(options)));
}

/** What is served, and what ran. */
function addLists(program: Command, exit: (status: number) => void): void {
  asJson(withOwnStore(withUpstream(program.command("models"))))
    .description("list the models that are served, or show how one is asked and why")
    .argument("[name]", "the model")
    .addHelpText("after", example("postel models leaked-xml"))
    .action(async (name, options) =>
      exit(
        name === undefined
          ? await (await import("./listModels.ts")).listModels(options)
          : await (await import("./showModel.ts")).showModel(name, options),
      ),
    );

  asJson(withStore(program.command("tools")))
    .description("list the tools, who has them, what a person agrees to, and what their calls came to; or show one")
    .argument("[name]", "the tool")
    .option("--connect", "ask servers for their tools as well", false)
    .addHelpText("after", example("postel tools --config config/postel.yaml"))
    .action(async (name, options) =>
      exit(
        name === undefined
          ? await (await import("./listTools.ts")).listTools(options)
          : await (await import("./showTool.ts")).showTool(name, options),
      ),
    );

  withOwner(program.command("runs"))
    .description("list what ran, the youngest first, or show what a run did, what it waits for and how it ended")
    .argument("[id]", "the run")
    .option("--session <id>", "only turns of this session")
    .addOption(new Option("--status <status>", "only those that are so").choices(RUN_STATUSES))
    .option("--events", "of one run: its numbered events, a line of JSON each", false)
    .addHelpText("after", example("postel runs --status waiting"))
    .action(async (id, options) =>
      exit(
        id === undefined
          ? await (await import("./listRuns.ts")).listRuns(options)
          : await (await import("./showRun.ts")).showRun(id, options),
      ),
    );

  withOwner(program.command("sessions"))
    .description("list the conversations that are kept, the one used last first, or show one")
    .argument("[id]", "the session")
    .addHelpText("after", example("postel sessions"))
    .action(async (id, options) =>
      exit(
        id === undefined
          ? await (await import("./listSessions.ts")).listSessions(options)
          : await (await import("./showSession.ts")).showSession(id, options),
      ),
    );
}

/** Commands that look into what is kept of an owner. */
function withOwner(command: Command): Command {
  return asJson(withOwnStore(withConfig(command)))
    .option("--owner <name>", "whose (the name of a caller's key; default: local, who asks without keys)")
    .option("--most <number>", "how many at the most", whole(1, 10_000), 20);
}

function addAgent(agent: Command, exit: (status: number) => void): void {
  withUpstream(agent.command("explain"))
    .description("show an agent as its model meets it: prompt, tools, limits, what a person agrees to; asks nobody")
    .argument("<agent>", "the agent's id")
    .option("--action <id>", "which of its actions (default: the only one, else a conversation without one)")
    .option("--model <name>", "the model (default: the agent's own)")
    .option("--input <given>", "what the agent is asked with, as of postel run (default: the inputs' names)", added)
    .option("--json", "as JSON", false)
    .addHelpText("after", example("postel agent explain default --model leaked-xml"))
    .action(async (id, options) => exit(await (await import("./explainAgent.ts")).explainAgent(id, options)));
}

/** Commands about what is kept; gateways that use the store may run meanwhile. */
function addData(data: Command, exit: (status: number) => void): void {
  withStore(data.command("export"))
    .description("write everything that is kept of an owner, a line of JSON for each row")
    .argument("<owner>", "the name of the caller's key; without keys: local")
    .addHelpText("after", example("postel data export alice --store postel.db > alice.jsonl"))
    .action(async (owner, options) => exit(await (await import("./data.ts")).exportOwner(owner, options)));

  withStore(data.command("erase"))
    .description("erase everything that is kept of an owner, for good")
    .argument("<owner>", "the name of the caller's key; without keys: local")
    .option("--yes", "it is meant", false)
    .addHelpText("after", example("postel data erase alice --yes --store postel.db"))
    .action(async (owner, options) => exit(await (await import("./data.ts")).eraseOwner(owner, options)));

  withStore(data.command("backup"))
    .description("copy the whole store as it is now")
    .argument("<file>", "the copy; it must not be there yet")
    .addHelpText("after", example("postel data backup postel-2026-11-22.db --store postel.db"))
    .action(async (file, options) => exit(await (await import("./data.ts")).backup(file, options)));
}

function addAudit(audit: Command, exit: (status: number) => void): void {
  withOwnStore(withConfig(audit.command("verify")))
    .description("check the record against its hashes, and against heads that were told before; name every fault")
    .option("--file <files...>", "files of the record in their order, instead of the store")
    .option("--head <seq:hash>", "a head as `postel audit head` has written it")
    .option("--heads <file>", "a file with such heads, or a log that has them")
    .addHelpText("after", example("postel audit verify --store postel.db --heads heads.txt"))
    .action(async (options) => exit(await (await import("./audit/verifyAudit.ts")).verifyAudit(options)));

  withOwnStore(withConfig(audit.command("head")))
    .description("write the number, the hash and the time of the last entry: keep it elsewhere")
    .addHelpText("after", example("postel audit head --store postel.db >> /mnt/elsewhere/heads.txt"))
    .action(async (options) => exit(await (await import("./audit/readAudit.ts")).auditHead(options)));

  withEntries(audit.command("show"))
    .description("write the record for a person, a line for each entry")
    .addHelpText("after", example("postel audit show --store postel.db --run RUN"))
    .action(async (options) => exit(await (await import("./audit/readAudit.ts")).showAudit(options)));

  withEntries(audit.command("export"))
    .description("write the record as it is kept, a line of JSON for each entry")
    .addHelpText("after", example("postel audit export --store postel.db --after 812 > record.jsonl"))
    .action(async (options) => exit(await (await import("./audit/readAudit.ts")).exportAudit(options)));
}

function withEntries(command: Command): Command {
  return withOwnStore(withConfig(command))
    .option("--after <seq>", "only entries behind this one", whole(0, Number.MAX_SAFE_INTEGER), 0)
    .option("--owner <name>", "only those of this owner")
    .option("--run <id>", "only those of this run");
}

function withStore(command: Command): Command {
  return withConfig(command).option("--store <file>", "the store's file (default: `store.file` of the configuration)");
}

/** Where what the terminal's own commands keep is found too. */
function withOwnStore(command: Command): Command {
  const usual = "default: `store.file` of the configuration, else this user's own";
  return command.option("--store <file>", `where sessions, runs and what was learnt are kept (${usual})`);
}

function withConfig(command: Command): Command {
  return command.option("--config <file>", "the gateway's configuration (default: config/postel.yaml of the package)");
}

function withUpstream(command: Command): Command {
  return withConfig(command)
    .option("--upstream <url>", "base URL of an OpenAI-compatible server; every model name goes there")
    .option("--upstream-key-env <name>", "environment variable that holds the upstream's key");
}

function asJson(command: Command): Command {
  return command.option("--json", "as JSON", false);
}

function withRun(command: Command): Command {
  return withUpstream(command)
    .option(
      "--store <file>",
      "the file that keeps the run (default: `store.file`, else at a terminal that of this user)",
    )
    .option("--yes", "agree beforehand to what is not dangerous", false)
    .option("--json", "write one JSON object when it is over, and nothing else", false)
    .option("--quiet", "tell nothing of what goes on", false);
}

function example(line: string): string {
  return `\nExample:\n  $ ${line}\n`;
}

function added(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function whole(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`expected a number from ${least} to ${most}`);
  };
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
