// Registers `postel run`, `record` and `chat`: commands that run an agent.
import { type Command, Option } from "commander";
import { SESSION_MODES } from "../../core/stores.ts";
import { collectOption, formatExample, withOwnStore, withUpstream } from "./flags.ts";

/** Loaded by the first command that needs it. */
const runTask = () => import("../run/runTask.ts");

/** @param exit receives the exit status. */
export function addRunCommands(program: Command, exit: (status: number) => void): void {
  addRuns(program, exit);
  addChat(program, exit);
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
      collectOption,
    )
    .option(
      "--workflow <id>",
      "the configured workflow that is run instead, with --input; its response is what is written",
    )
    .option("--resume <run>", "go on with a kept run that waits or was left, instead of a new one")
    .option("--record <dir>", "write the exchanges with the upstream into this folder, as a transcript")
    .option("--dry-run", "show what a model would be asked first, and ask nobody", false)
    .addHelpText("after", formatExample('postel run "What is 17 times 23?" --model leaked-xml'))
    .action(async (task, options) =>
      exit(
        options.dryRun
          ? await (await import("../run/dryRun.ts")).runDry(task, options)
          : await (await runTask()).runTask(task, options),
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
      formatExample(
        'postel record recordings "What is 6 times 7?" --upstream http://localhost:11434/v1 --model my-model',
      ),
    )
    .action(async (dir, task, options) => exit(await (await runTask()).runTask(task, { ...options, record: dir })));
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
    .addHelpText("after", formatExample("postel chat --model leaked-xml"))
    .action(async (options) => exit(await (await import("../chat/chat.ts")).runChat(options)));
}

function withRun(command: Command): Command {
  return withUpstream(command)
    .option(
      "--store <file>",
      "the file that keeps the run (default: `store.file`, else at a terminal that of this user)",
    )
    .option("--yes", "agree beforehand to calls that only a rule of the agent holds", false)
    .option("--json", "write one JSON object when it is over, and nothing else", false)
    .option("--quiet", "tell nothing of what goes on", false);
}
