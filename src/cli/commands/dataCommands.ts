// Registers `postel data …` and `audit …`: the stored data of an owner, and the audit log.
import type { Command } from "commander";
import { formatExample, parseInteger, withConfig, withOwnStore } from "./flags.ts";

/** Modules that are loaded by the first command that needs them. */
const data = () => import("../data.ts");
const readAudit = () => import("../audit/readAudit.ts");

/** Gateways may use the store at the same time. @param exit receives the exit status. */
export function addDataCommands(program: Command, exit: (status: number) => void): void {
  addData(program.command("data").description("what the store keeps of an owner, and a copy of it all"), exit);
  addAudit(
    program.command("audit").description("who asked, what ran and who decided: the record, and whether it is sound"),
    exit,
  );
}

function addData(command: Command, exit: (status: number) => void): void {
  withOwnStore(withConfig(command.command("export")))
    .description("write everything that is kept of an owner, a line of JSON for each row")
    .argument("<owner>", "the name of the caller's key; without keys: local")
    .addHelpText("after", formatExample("postel data export alice --store postel.db > alice.jsonl"))
    .action(async (owner, options) => exit(await (await data()).exportOwner(owner, options)));

  withOwnStore(withConfig(command.command("erase")))
    .description("erase everything that is kept of an owner, for good")
    .argument("<owner>", "the name of the caller's key; without keys: local")
    .option("--yes", "it is meant", false)
    .addHelpText("after", formatExample("postel data erase alice --yes --store postel.db"))
    .action(async (owner, options) => exit(await (await data()).eraseOwner(owner, options)));

  withOwnStore(withConfig(command.command("backup")))
    .description("copy the whole store as it is now")
    .argument("<file>", "the copy; it must not be there yet")
    .addHelpText("after", formatExample("postel data backup postel-2026-11-22.db --store postel.db"))
    .action(async (file, options) => exit(await (await data()).backup(file, options)));

  withOwnStore(withConfig(command.command("reseal")))
    .description(
      "seal the store anew: after its key was lost or changed, or a backup was put back; open decisions are asked for again",
    )
    .addHelpText("after", formatExample("postel data reseal --store postel.db"))
    .action(async (options) => exit(await (await data()).runReseal(options)));
}

function addAudit(audit: Command, exit: (status: number) => void): void {
  withOwnStore(withConfig(audit.command("verify")))
    .description("check the record against its hashes, and against heads that were told before; name every fault")
    .option("--file <files...>", "files of the record in their order, instead of the store")
    .option("--head <seq:hash>", "a head as `postel audit head` has written it")
    .option("--heads <file>", "a file with such heads, or a log that has them")
    .addHelpText("after", formatExample("postel audit verify --store postel.db --heads heads.txt"))
    .action(async (options) => exit(await (await import("../audit/verifyAudit.ts")).verifyAudit(options)));

  withOwnStore(withConfig(audit.command("head")))
    .description("write the number, the hash and the time of the last entry: keep it elsewhere")
    .addHelpText("after", formatExample("postel audit head --store postel.db >> /mnt/elsewhere/heads.txt"))
    .action(async (options) => exit(await (await readAudit()).printAuditHead(options)));

  withEntries(audit.command("show"))
    .description("write the record for a person, a line for each entry")
    .addHelpText("after", formatExample("postel audit show --store postel.db --run RUN"))
    .action(async (options) => exit(await (await readAudit()).showAudit(options)));

  withEntries(audit.command("export"))
    .description("write the record as it is kept, a line of JSON for each entry")
    .addHelpText("after", formatExample("postel audit export --store postel.db --after 812 > record.jsonl"))
    .action(async (options) => exit(await (await readAudit()).exportAudit(options)));
}

function withEntries(command: Command): Command {
  return withOwnStore(withConfig(command))
    .option("--after <seq>", "only entries behind this one", parseInteger(0, Number.MAX_SAFE_INTEGER), 0)
    .option("--owner <name>", "only those of this owner")
    .option("--run <id>", "only those of this run");
}
