// `postel run --dry-run`: what a model would be asked first, and nothing asked. Runs no tool.

import { agentFor } from "../../agents/agentFor.ts";
import { failure, PostelError } from "../../core/failures.ts";
import { loadWithUpstream } from "../configuration.ts";
import { writeNote, writeText } from "../terminal.ts";
import { unaskedHouse, unlistedNote } from "../unaskedHouse.ts";
import { askedTask, givenTask } from "./askedTask.ts";
import type { RunFlags } from "./RunFlags.ts";

/** Resolves with the exit status. @throws PostelError for what could not be run, and where no model is named. */
export async function dryRun(task: string | undefined, flags: RunFlags): Promise<number> {
  const config = loadWithUpstream(flags);
  const { house, first } = await unaskedHouse(config);
  try {
    const asking = askedTask(house, await givenTask(task), flags);
    const model = flags.model ?? agentFor(house, flags.agent ?? "", flags.agent).model;
    if (model === undefined)
      throw new PostelError(failure("invalid_request", "The agent names no model; choose one with --model."));
    let why: string | undefined;
    const text = await first(() =>
      house.runner.run({ ...asking(model), interactive: false }, new AbortController().signal, (events) => {
        for (const event of events) if (event.type === "turn-failed") why = event.failure.message;
        return undefined;
      }),
    );
    if (text === undefined) throw new PostelError(failure("invalid_request", why ?? "Nothing would be asked."));
    writeText(`${text}\n`);
    const { tools } = agentFor(config, flags.agent ?? "", flags.agent);
    for (const server of new Set(tools.flatMap((entry) => entry.server ?? []))) writeNote(unlistedNote(server));
    return 0;
  } finally {
    await house.close();
  }
}
