// Starts programs as child processes without a shell, each in its own process group.
import { type ChildProcess, spawn } from "node:child_process";
import { createFailure, PostelError } from "../core/failures.ts";
import type { ProcessEnd, ProcessPort, ProcessRequest } from "../core/ports.ts";
import { findEscape } from "./escapesDirectory.ts";
import { OutputBuffer } from "./OutputBuffer.ts";
import { ProcessGroups, sendGroupSignal } from "./ProcessGroups.ts";

/** Milliseconds between the request to end and the end by force. */
const GRACE_MS = 2_000;
/** Milliseconds to read output after a program's end: a process that left its group may keep the pipe open. */
const DRAIN_MS = 500;

/** Ends all groups when the gateway's process ends. */
export function createProcessPort(): ProcessPort {
  const groups = new ProcessGroups();
  return {
    async run(request, signal) {
      if (signal.aborted) throw cancelled();
      const reason = await findEscape(request.cwd, request.paths);
      if (reason !== undefined) return { type: "refused", reason };
      if (signal.aborted) throw cancelled();
      const child = start(request);
      if ("type" in child) return child;
      groups.add(child);
      try {
        return await outcome(child, request, signal);
      } finally {
        groups.remove(child);
      }
    },
  };
}

function start({ program, argv, stdin, cwd, env }: ProcessRequest): ChildProcess | ProcessEnd {
  const [argv0, ...words] = argv;
  try {
    return spawn(program, words, {
      argv0,
      cwd,
      env: { ...env },
      // A group of its own, which is ended with all that it has started.
      detached: true,
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    return unstarted(program, error);
  }
}

function unstarted(program: string, error: unknown): ProcessEnd {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return { type: "refused", reason: `the program ${program} could not be started (${code || message}).` };
}

/** Resolves when the program has ended and its group has no process left. */
async function outcome(child: ChildProcess, request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd> {
  const { stdin, timeoutMs, maxOutput, program } = request;
  const output = new OutputBuffer(maxOutput);
  let stopped: "timeout" | "output" | "cancelled" | undefined;
  let force: NodeJS.Timeout | undefined;
  let drain: NodeJS.Timeout | undefined;
  const stop = (why: typeof stopped): void => {
    if (stopped !== undefined) return;
    stopped = why;
    sendGroupSignal(child, "SIGTERM");
    force = setTimeout(() => sendGroupSignal(child, "SIGKILL"), GRACE_MS);
  };
  const onAbort = (): void => stop("cancelled");
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  child.stdout?.on("data", (piece: Buffer) => output.add("stdout", piece) || stop("output"));
  child.stderr?.on("data", (piece: Buffer) => output.add("stderr", piece) || stop("output"));
  // A program need not read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
  child.once("exit", () => {
    clearTimeout(timer);
    sendGroupSignal(child, "SIGKILL");
    drain = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, DRAIN_MS);
  });
  try {
    const ended = await waitForExit(child);
    if (!("exitCode" in ended)) return unstarted(program, ended);
    if (stopped === "cancelled") throw cancelled();
    return { type: "ended", ...output.texts(), ...ended, ...(stopped && { stopped }) };
  } finally {
    signal.removeEventListener("abort", onAbort);
    for (const one of [timer, force, drain]) clearTimeout(one);
  }
}

type Ended = Pick<Extract<ProcessEnd, { type: "ended" }>, "exitCode" | "signal">;

function waitForExit(child: ChildProcess): Promise<Ended | Error> {
  return new Promise((resolve) => {
    child.once("error", resolve);
    child.once("close", (exitCode, signal) => resolve({ exitCode, ...(signal && { signal }) }));
  });
}

function cancelled(): PostelError {
  return new PostelError(
    createFailure("cancelled", "The program was ended, since the run that had started it is over."),
  );
}
