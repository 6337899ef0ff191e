// Signals and ends groups of processes, each as one.
import type { ChildProcess } from "node:child_process";

/** Child processes with groups of their own, which all end with the gateway's process. */
export class ProcessGroups {
  readonly #children = new Set<ChildProcess>();
  readonly #endAll = (): void => {
    for (const child of this.#children) sendGroupSignal(child, "SIGKILL");
  };

  add(child: ChildProcess): void {
    if (this.#children.size === 0) process.on("exit", this.#endAll);
    this.#children.add(child);
  }

  remove(child: ChildProcess): void {
    this.#children.delete(child);
    if (this.#children.size === 0) process.off("exit", this.#endAll);
  }
}

export function sendGroupSignal({ pid }: Pick<ChildProcess, "pid">, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has no process left.
  }
}
