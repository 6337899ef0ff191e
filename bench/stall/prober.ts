// A thread that asks `/health` again and again, each time on a new connection, and keeps the longest wait. Knows nothing of the attacks.
import { get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** Milliseconds. */
const PAUSE_MS = 10;
const TIMEOUT_MS = 30_000;

export interface ProbeReport {
  readonly longestMs: number;
  readonly answers: number;
  readonly failures: number;
}

const { port } = workerData as { readonly port: number };

let report: ProbeReport = nothing();

parentPort?.on("message", (order: "reset" | "report") => {
  if (order === "report") parentPort?.postMessage(report);
  report = nothing();
});

for (;;) {
  const started = performance.now();
  // A probe that began before a reset belongs to what was before.
  const asked = report;
  const answered = await ask();
  const ms = performance.now() - started;
  if (asked === report)
    report = {
      longestMs: Math.max(report.longestMs, ms),
      answers: report.answers + Number(answered),
      failures: report.failures + Number(!answered),
    };
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

function nothing(): ProbeReport {
  return { longestMs: 0, answers: 0, failures: 0 };
}

function ask(): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/health", agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode === 200));
      response.on("error", () => resolve(false));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}
