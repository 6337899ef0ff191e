// Plays the programs of one transcript without a process.
import { createFailure, PostelError } from "../../core/failures.ts";
import type { ProcessEnd, ProcessPort, ProcessRequest, Redact } from "../../core/ports.ts";
import type { RecordedProcess } from "../format/RecordedProcess.ts";
import type { Transcript } from "../format/Transcript.ts";
import type { ReplayClock } from "./ReplayClock.ts";

/**
 * Gives each program the result of the first unplayed recorded one with the same arguments and input, since programs of one turn run
 * concurrently. Anything else is a `replay_mismatch`. Recorded durations are not waited for.
 */
export class ReplayProcesses implements ProcessPort {
  readonly #remaining: RecordedProcess[];
  readonly #clock: ReplayClock | undefined;
  readonly #mismatches: string[] = [];

  constructor({ processes = [] }: Transcript, clock?: ReplayClock) {
    this.#remaining = [...processes];
    this.#clock = clock;
  }

  async run(request: ProcessRequest): Promise<ProcessEnd> {
    const at = this.#remaining.findIndex((one) => isSame(one, request));
    const [recorded] = at < 0 ? [] : this.#remaining.splice(at, 1);
    if (!recorded) throw this.#mismatch(request);
    this.#clock?.advanceTo(Date.parse(recorded.at) + recorded.ms);
    if (recorded.end) return recorded.end;
    throw new PostelError(
      createFailure("cancelled", `The recorded run was over before ${recorded.argv[0]} had ended.`),
    );
  }

  /** Lists programs that were requested but not recorded, one line each. */
  mismatches(): readonly string[] {
    return this.#mismatches;
  }

  /** Lists programs that were recorded but not requested, one line each. */
  leftovers(): readonly string[] {
    return this.#remaining.map(({ n, argv }) => `process ${n}: ${formatArguments(argv)}`);
  }

  #mismatch({ argv, stdin }: ProcessRequest): PostelError {
    const [next] = this.#remaining;
    const request = `${formatArguments(argv)}${formatInput(stdin)}`;
    const message = next
      ? `\`${request}\` is not what was recorded as process ${next.n}: \`${formatArguments(next.argv)}${formatInput(next.stdin)}\`.`
      : `The recording has no further process, but one more is started: \`${request}\`.`;
    this.#mismatches.push(message);
    return new PostelError(createFailure("replay_mismatch", message));
  }
}

/** Redacts the request before the comparison, since the recorded one is redacted. */
export function redactStarted(inner: ProcessPort, redact: Redact): ProcessPort {
  return {
    run(request, signal) {
      const { argv, stdin } = request;
      const redactedCall = { argv: argv.map(redact), ...(stdin !== undefined && { stdin: redact(stdin) }) };
      return inner.run({ ...request, ...redactedCall }, signal);
    },
  };
}

function isSame({ argv, stdin }: RecordedProcess, request: ProcessRequest): boolean {
  return stdin === request.stdin && JSON.stringify(argv) === JSON.stringify(request.argv);
}

/** Characters of a command or its input that a message shows. */
const MOST_SHOWN = 300;

function formatArguments(argv: readonly string[]): string {
  return JSON.stringify(argv).slice(0, MOST_SHOWN);
}

function formatInput(stdin: string | undefined): string {
  return stdin === undefined ? "" : ` < ${JSON.stringify(stdin).slice(0, MOST_SHOWN)}`;
}
