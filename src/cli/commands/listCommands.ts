// Registers `postel models`, `tools`, `runs` and `sessions`: what is served, and what ran.
import { type Command, Option } from "commander";
import { createFailure, PostelError } from "../../core/failures.ts";
import { RUN_STATUSES } from "../../core/stores/RunStore.ts";
import type { DeletionFlags } from "../sessions/deleteSession.ts";
import type { SessionsFlags } from "../sessions/listSessions.ts";
import { asJson, formatExample, parseInteger, withConfig, withOwnStore, withUpstream } from "./flags.ts";

/** @param exit receives the exit status. */
export function addListCommands(program: Command, exit: (status: number) => void): void {
  asJson(withOwnStore(withUpstream(program.command("models"))))
    .description("list the models that are served, or show how one is asked and why")
    .argument("[name]", "the model")
    .addHelpText("after", formatExample("postel models leaked-xml"))
    .action(async (name, options) =>
      exit(
        name === undefined
          ? await (await import("../models/listModels.ts")).listModels(options)
          : await (await import("../models/showModel.ts")).showModel(name, options),
      ),
    );

  asJson(withOwnStore(withConfig(program.command("tools"))))
    .description("list the tools, who has them, what a person agrees to, and what their calls came to; or show one")
    .argument("[name]", "the tool")
    .option("--connect", "ask servers for their tools as well", false)
    .addHelpText("after", formatExample("postel tools --config config/postel.yaml"))
    .action(async (name, options) =>
      exit(
        name === undefined
          ? await (await import("../tools/listTools.ts")).listTools(options)
          : await (await import("../tools/showTool.ts")).showTool(name, options),
      ),
    );

  withOwner(program.command("runs"))
    .description("list what ran, the youngest first, or show what a run did, what it waits for and how it ended")
    .argument("[id]", "the run")
    .option("--session <id>", "only turns of this session")
    .addOption(new Option("--status <status>", "only those that are so").choices(RUN_STATUSES))
    .option("--events", "of one run: its numbered events, a line of JSON each", false)
    .addHelpText("after", formatExample("postel runs --status waiting"))
    .action(async (id, options) =>
      exit(
        id === undefined
          ? await (await import("../runs/listRuns.ts")).listRuns(options)
          : await (await import("../runs/showRun.ts")).showRun(id, options),
      ),
    );

  withOwner(program.command("sessions"))
    .description("list the conversations that are kept, the one used last first, or show or delete one")
    .argument("[id]", "the session")
    .option("--delete", "of one session: delete it, for good", false)
    .option("--yes", "with --delete: it is meant", false)
    .addHelpText("after", formatExample("postel sessions"))
    .action(async (id, options) => exit(await sessionsCommand(id, options)));
}

type SessionsOptions = SessionsFlags & DeletionFlags & { readonly delete: boolean };

async function sessionsCommand(id: string | undefined, options: SessionsOptions): Promise<number> {
  if (options.delete && id === undefined)
    throw new PostelError(
      createFailure("invalid_request", "`--delete` takes one session: postel sessions ID --delete."),
    );
  if (id === undefined) return (await import("../sessions/listSessions.ts")).listSessions(options);
  if (options.delete) return (await import("../sessions/deleteSession.ts")).deleteSession(id, options);
  return (await import("../sessions/showSession.ts")).showSession(id, options);
}

/** Adds the flags of commands that read the stored data of an owner. */
function withOwner(command: Command): Command {
  return asJson(withOwnStore(withConfig(command)))
    .option("--owner <name>", "whose (the name of a caller's key; default: local, who asks without keys)")
    .option("--most <number>", "how many at the most", parseInteger(1, 10_000), 20);
}
