// How much work the program does, as the engine itself counts it: the blocks of its code that were executed, and the characters that the
// language's own searches and readers went over. Nothing in the program counts for it, so no pass, node or step can be left out.
import { type Profiler, Session } from "node:inspector";
import { NativeCharacters } from "./NativeCharacters.ts";

const PROGRAM = /\/src\//;

/**
 * Made before the program first runs: the engine puts counters into the code that it translates from then on, and optimises none of it. So a
 * counted run takes some ten times as long as another. What memory costs, and pieces that are joined later, are not counted.
 */
export class WorkMeter {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** The work of one stretch, in executed blocks; what the program works out only once counts where it is first done. */
  of(stretch: () => void): number {
    this.#blocks();
    const natives = new NativeCharacters();
    try {
      stretch();
    } finally {
      natives.restore();
    }
    return this.#blocks() + natives.blocks;
  }

  stop(): void {
    this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }

  /** Since they were last read: reading starts the engine's counters anew. */
  #blocks(): number {
    let blocks: number | undefined;
    this.#session.post("Profiler.takePreciseCoverage", (error, answer: Profiler.TakePreciseCoverageReturnType) => {
      if (error) throw error;
      blocks = 0;
      for (const { url, functions } of answer.result) {
        if (PROGRAM.test(url)) for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
      }
    });
    if (blocks === undefined) throw new Error("The engine has not answered.");
    return blocks;
  }
}
