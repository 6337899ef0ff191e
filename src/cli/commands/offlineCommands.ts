// Registers `postel parse`, `replay`, `validate` and `agent explain`: commands that call no model.
import type { Command } from "commander";
import { collectOption, formatExample, withConfig, withUpstream } from "./flags.ts";

/** @param exit receives the exit status. */
export function addOfflineCommands(program: Command, exit: (status: number) => void): void {
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
      formatExample('postel parse --tools tools.json --text \'<tool_call>{"name": "clock"}</tool_call>\''),
    )
    .action(async (options) => exit(await (await import("../parseText.ts")).parseText(options)));

  withConfig(program.command("replay"))
    .description("run recorded transcripts through the whole gateway and compare with what they expect")
    .argument("<dir>", "folder of transcripts")
    .option("--update", "write what was found into the transcripts as their expectation", false)
    .addHelpText("after", formatExample("postel replay fixtures/transcripts"))
    .action(async (dir, options) => exit(await (await import("../replay/replayFolder.ts")).replayFolder(dir, options)));

  withConfig(program.command("validate"))
    .description("check the configuration and say every fault in it")
    .addHelpText("after", formatExample("postel validate --config config/postel.yaml"))
    .action(async (options) => exit(await (await import("../validate/validateConfig.ts")).validateConfig(options)));

  addAgent(program.command("agent").description("what the configuration says of an agent"), exit);
}

function addAgent(agent: Command, exit: (status: number) => void): void {
  withUpstream(agent.command("explain"))
    .description("show an agent as its model meets it: prompt, tools, limits, what a person agrees to; asks nobody")
    .argument("<agent>", "the agent's id")
    .option("--action <id>", "which of its actions (default: the only one, else a conversation without one)")
    .option("--model <name>", "the model (default: the agent's own)")
    .option(
      "--input <given>",
      "what the agent is asked with, as of postel run (default: the inputs' names)",
      collectOption,
    )
    .option("--json", "as JSON", false)
    .addHelpText("after", formatExample("postel agent explain default --model leaked-xml"))
    .action(async (id, options) => exit(await (await import("../explainAgent.ts")).explainAgent(id, options)));
}
