// Requests `/health` of the gateway in a loop, from a worker thread, and keeps the longest wait.
// Each request uses a new connection. `workerData.port` is the gateway's port.
import { get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** Pause between two requests. Milliseconds. */
const PAUSE_MS = 10;
const TIMEOUT_MS = 30_000;

/** The requests since the last reset or report. */
export interface HealthReport {
  /** Longest time to the end of an answer. Milliseconds. */
  readonly longestMs: number;
  /** Requests that were answered with status 200. */
  readonly answers: number;
  readonly failures: number;
}

/** An order to the prober. `report` answers with a `HealthReport`; both begin a new one. */
export type HealthOrder = "reset" | "report";

const EMPTY: HealthReport = { longestMs: 0, answers: 0, failures: 0 };

const { port } = workerData as { readonly port: number };

let report: HealthReport = { ...EMPTY };

parentPort?.on("message", (order: HealthOrder) => {
  if (order === "report") parentPort?.postMessage(report);
  report = { ...EMPTY };
});

for (;;) {
  const startedAt = performance.now();
  const reportAtStart = report;
  const isHealthy = await requestHealth();
  const ms = performance.now() - startedAt;
  // A request that began before a reset does not count after it.
  if (reportAtStart === report)
    report = {
      longestMs: Math.max(report.longestMs, ms),
      answers: report.answers + Number(isHealthy),
      failures: report.failures + Number(!isHealthy),
    };
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** Resolves to true if the gateway answers with status 200. */
function requestHealth(): Promise<boolean> {
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
