// `postel run` and `postel record`: one run of an agent or a workflow in the terminal. The result goes to standard output,
// everything else to standard error.

import type { Config } from "../../core/config/configuration.ts";
import { toFailure } from "../../core/failures.ts";
import type { Observer } from "../../core/ports.ts";
import { getOutcomeInfo, type RunOutcome } from "../../core/runs/outcomes.ts";
import { openServices } from "../../gateway/openServices.ts";
import { withTerminalStore } from "../options/defaultStore.ts";
import { loadWithUpstream, storeFile } from "../options/loadFlags.ts";
import { ShutdownSignals } from "../output/ShutdownSignals.ts";
import { writeError, writeNote, writeText } from "../output/terminal.ts";
import { readTask } from "./buildRunRequest.ts";
import { reportOfFailure } from "./jsonReport.ts";
import type { RunFlags } from "./RunFlags.ts";
import { TerminalRun } from "./TerminalRun.ts";

/**
 * Resolves with the exit status of the run's outcome (`OUTCOMES`): 0 only if it answered, and was recorded if requested.
 * @param task `-`: read from standard input; absent if an action or an input defines the task.
 */
export async function runTask(task: string | undefined, flags: RunFlags): Promise<number> {
  const stopping = new ShutdownSignals();
  try {
    const { outcome, unrecorded } = await runInHouse(task, flags, stopping.signal);
    if (outcome !== "answered" && stopping.status !== undefined) return stopping.status;
    return unrecorded ? 1 : getOutcomeInfo(outcome).exitCode;
  } catch (error) {
    if (flags.json) writeText(`${JSON.stringify(reportOfFailure(toFailure(error)))}\n`);
    if (stopping.status === undefined) throw error;
    writeError(toFailure(error).message);
    return stopping.status;
  } finally {
    stopping.end();
  }
}

interface Ended {
  readonly outcome: RunOutcome;
  readonly unrecorded: boolean;
}

async function runInHouse(task: string | undefined, flags: RunFlags, signal: AbortSignal): Promise<Ended> {
  let unrecorded = false;
  // Events are shown as they happen; a log would repeat them.
  const observer: Observer = {
    observe(observation) {
      if (observation.type !== "recording-failed") return;
      unrecorded = true;
      writeNote(`· not recorded: ${observation.lost}: ${observation.reason}`);
    },
  };
  const recording = flags.record === undefined ? {} : { recordTo: flags.record };
  const attended = isAttended(task);
  const config = keptConfig(flags, attended || flags.resume !== undefined);
  const gateway = await openServices(config, { observers: [observer], ...recording });
  const run = new TerminalRun(gateway, { flags, keptIn: config.store.file, isAttended: attended, signal });
  let outcome: RunOutcome;
  try {
    outcome = await run.run(await readTask(task));
  } finally {
    run.close();
    await gateway.close();
  }
  return { outcome, unrecorded };
}

/** @param always true if a run is stored even without a store file. */
function keptConfig(flags: RunFlags, always: boolean): Config {
  const config = loadWithUpstream(flags);
  return always || storeFile(config, flags) !== undefined ? withTerminalStore(config, flags) : config;
}

/** Returns true if a user can be asked: input and error output are terminals. */
function isAttended(task: string | undefined): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && task !== "-";
}
