// `postel run --dry-run`: shows the first model request without sending it. Runs no tool.

import { resolveAgent } from "../../agents/planning/resolveAgent.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { loadWithUpstream } from "../options/loadFlags.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { createTaskRequest, readTask } from "./buildRunRequest.ts";
import { createDryRunGateway, formatUnlistedNote } from "./dryRunGateway.ts";
import type { RunFlags } from "./RunFlags.ts";

/** Resolves with the exit status. @throws PostelError for an invalid request, and if no model is named. */
export async function runDry(task: string | undefined, flags: RunFlags): Promise<number> {
  const config = loadWithUpstream(flags);
  const { gateway, first } = await createDryRunGateway(config);
  try {
    const asking = createTaskRequest(gateway, await readTask(task), flags);
    const model = flags.model ?? resolveAgent(gateway, flags.agent ?? "", flags.agent).model;
    if (model === undefined)
      throw new PostelError(createFailure("invalid_request", "The agent names no model; choose one with --model."));
    let reason: string | undefined;
    const text = await first(() =>
      gateway.runner.run({ ...asking(model), interactive: false }, new AbortController().signal, (events) => {
        for (const event of events) if (event.type === "turn-failed") reason = event.failure.message;
        return undefined;
      }),
    );
    if (text === undefined)
      throw new PostelError(createFailure("invalid_request", reason ?? "Nothing would be asked."));
    writeText(`${text}\n`);
    const { tools } = resolveAgent(config, flags.agent ?? "", flags.agent);
    for (const server of new Set(tools.flatMap((entry) => entry.server ?? []))) writeNote(formatUnlistedNote(server));
    return 0;
  } finally {
    await gateway.close();
  }
}
