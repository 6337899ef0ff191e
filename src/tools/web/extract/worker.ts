// The thread in which pages are read, one after the other: entered by file, imported by nobody. Knows its orders and nothing of the gateway.
import { parentPort } from "node:worker_threads";
import { extractPage } from "./extractPage.ts";
import type { ExtractRequest, ExtractResult } from "./WorkerMessages.ts";

parentPort?.on("message", (order: ExtractRequest) => parentPort?.postMessage(answerTo(order)));
// Until then it is loading, which is no page's fault.
parentPort?.postMessage("ready");

/** A page that its reader stumbles over is refused, and the thread goes on. */
function answerTo(order: ExtractRequest): ExtractResult {
  try {
    return extractPage(order);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: "refused", reason: `The page cannot be taken apart (${why.slice(0, 200)}).` };
  }
}
