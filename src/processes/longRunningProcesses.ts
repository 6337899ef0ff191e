// Starts long-running programs that exchange lines, without a shell, each in its own process group.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { OpenProgram, ProgramEnd, ProgramPort, ProgramRequest } from "../core/ports.ts";
import { LineReader } from "./LineReader.ts";
import { ProcessGroups, sendGroupSignal } from "./ProcessGroups.ts";

/** Milliseconds that a program has once its standard input has ended, and again once it was asked to end. */
const GRACE_MS = 1_000;
/** Milliseconds to read output after a program's end: a process that left its group may keep the pipe open. */
const DRAIN_MS = 500;
/** Maximum stored characters of standard error. The last ones are stored. */
const KEPT_ERRORS = 2_000;

/** Ends all groups when the gateway's process ends. */
export function createProgramPort(): ProgramPort {
  const groups = new ProcessGroups();
  return {
    open(request, onLine) {
      let child: ChildProcessWithoutNullStreams;
      try {
        child = start(request);
      } catch (error) {
        return unstarted(request, error);
      }
      groups.add(child);
      const program = new RunningProgram(child, request, onLine);
      void program.ended.then(() => groups.remove(child));
      return program;
    },
  };
}

function start({ program, argv, cwd, env }: ProgramRequest): ChildProcessWithoutNullStreams {
  const [argv0, ...words] = argv;
  return spawn(program, words, {
    ...{ argv0, cwd, env: { ...env } },
    // A group of its own, which is ended with all that it has started.
    detached: true,
    stdio: "pipe",
  });
}

function unstarted({ program }: ProgramRequest, error: unknown): OpenProgram {
  const reason = notStarted(program, error);
  return {
    write: () => Promise.reject(new Error(reason)),
    close: async () => {},
    ended: Promise.resolve({ reason, stderr: "" }),
  };
}

function notStarted(program: string, error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return `the program ${program} could not be started (${code || message}).`;
}

class RunningProgram implements OpenProgram {
  readonly ended: Promise<ProgramEnd>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Reason why the program was ended or could not be started. */
  #why: string | undefined;
  #errors = "";
  #over = false;
  #closing = false;

  constructor(child: ChildProcessWithoutNullStreams, request: ProgramRequest, onLine: (line: string) => void) {
    this.#child = child;
    const lines = new LineReader(request.maxLine, onLine);
    child.stdout.on("data", (piece: Buffer) => {
      if (this.#why === undefined && !lines.add(piece)) this.#kill(tooLong(request.maxLine));
    });
    child.stderr.on("data", (piece: Buffer) => {
      this.#errors = (this.#errors + piece.toString("utf8")).slice(-KEPT_ERRORS);
    });
    // Writers and the end of the process report the error.
    child.stdin.on("error", () => {});
    child.once("exit", () => {
      sendGroupSignal(child, "SIGKILL");
      this.#after(DRAIN_MS, () => {
        child.stdout.destroy();
        child.stderr.destroy();
      });
    });
    this.ended = new Promise((resolve) => {
      child.once("error", (error) => {
        this.#why ??= notStarted(request.program, error);
        if (child.pid === undefined) resolve(this.#finish(null, null));
      });
      child.once("close", (exitCode, signal) => resolve(this.#finish(exitCode, signal)));
    });
  }

  write(line: string): Promise<void> {
    if (this.#over || !this.#child.stdin.writable) return Promise.reject(new Error("the program has ended."));
    return new Promise((resolve, reject) => {
      this.#child.stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    if (!this.#over && this.#why === undefined && !this.#closing) {
      this.#closing = true;
      this.#child.stdin.end();
      this.#after(GRACE_MS, () => this.#askToEnd());
    }
    await this.ended;
  }

  #askToEnd(): void {
    sendGroupSignal(this.#child, "SIGTERM");
    this.#after(GRACE_MS, () => sendGroupSignal(this.#child, "SIGKILL"));
  }

  /** Sends SIGKILL: a program that no longer answers would continue its work after a request to end. */
  #kill(why: string): void {
    this.#why = why;
    sendGroupSignal(this.#child, "SIGKILL");
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  #finish(exitCode: number | null, signal: NodeJS.Signals | null): ProgramEnd {
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const how = exitCode === null ? `it was ended by ${signal ?? "a signal"}.` : `it ended with exit code ${exitCode}.`;
    // A program that failed did not end because of the gateway.
    const asked = this.#closing && !exitCode ? "it was ended by the gateway." : undefined;
    return { reason: this.#why ?? asked ?? how, stderr: this.#errors.trim() };
  }
}

function tooLong(most: number): string {
  return `it wrote a line of more than ${most} bytes and was ended.`;
}
