// `postel models`, `tools`, `runs` and `sessions`: what is served, and what ran. Knows no command's work.
import { type Command, Option } from "commander";
import { failure, PostelError } from "../../core/failures.ts";
import { RUN_STATUSES } from "../../core/stores.ts";
import type { DeletionFlags } from "../deleteSession.ts";
import type { SessionsFlags } from "../lists/listSessions.ts";
import { asJson, example, whole, withConfig, withOwnStore, withUpstream } from "./flags.ts";

/** @param exit takes the exit status. */
export function addLists(program: Command, exit: (status: number) => void): void {
  asJson(withOwnStore(withUpstream(program.command("models"))))
    .description("list the models that are served, or show how one is asked and why")
    .argument("[name]", "the model")
    .addHelpText("after", example("postel models leaked-xml"))
    .action(async (name, options) =>
      exit(
        name === undefined
          ? await (await import("../lists/listModels.ts")).listModels(options)
          : await (await import("../lists/showModel.ts")).showModel(name, options),
      ),
    );

  asJson(withOwnStore(withConfig(program.command("tools"))))
    .description("list the tools, who has them, what a person agrees to, and what their calls came to; or show one")
    .argument("[name]", "the tool")
    .option("--connect", "ask servers for their tools as well", false)
    .addHelpText("after", example("postel tools --config config/postel.yaml"))
    .action(async (name, options) =>
      exit(
        name === undefined
          ? await (await import("../lists/listTools.ts")).listTools(options)
          : await (await import("../lists/showTool.ts")).showTool(name, options),
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
          ? await (await import("../lists/listRuns.ts")).listRuns(options)
          : await (await import("../lists/showRun.ts")).showRun(id, options),
      ),
    );

  withOwner(program.command("sessions"))
    .description("list the conversations that are kept, the one used last first, or show or delete one")
    .argument("[id]", "the session")
    .option("--delete", "of one session: delete it, for good", false)
    .option("--yes", "with --delete: it is meant", false)
    .addHelpText("after", example("postel sessions"))
    .action(async (id, options) => exit(await sessionsCommand(id, options)));
}

type SessionsOptions = SessionsFlags & DeletionFlags & { readonly delete: boolean };

async function sessionsCommand(id: string | undefined, options: SessionsOptions): Promise<number> {
  if (options.delete && id === undefined)
    throw new PostelError(failure("invalid_request", "`--delete` takes one session: postel sessions ID --delete."));
  if (id === undefined) return (await import("../lists/listSessions.ts")).listSessions(options);
  if (options.delete) return (await import("../deleteSession.ts")).deleteSession(id, options);
  return (await import("../lists/showSession.ts")).showSession(id, options);
}

/** Commands that look into what is kept of an owner. */
function withOwner(command: Command): Command {
  return asJson(withOwnStore(withConfig(command)))
    .option("--owner <name>", "whose (the name of a caller's key; default: local, who asks without keys)")
    .option("--most <number>", "how many at the most", whole(1, 10_000), 20);
}
