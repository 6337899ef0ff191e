// Entry point of the page worker thread, which extracts pages one after the other. Never imported.
import { parentPort } from "node:worker_threads";
import { extractPage } from "./extractPage.ts";
import type { ExtractRequest, ExtractResult } from "./WorkerMessages.ts";

parentPort?.on("message", (order: ExtractRequest) => parentPort?.postMessage(answerTo(order)));
// Before this message the thread is loading, which no page's time limit includes.
parentPort?.postMessage("ready");

/** A page that makes the extraction fail is refused, and the thread continues. */
function answerTo(order: ExtractRequest): ExtractResult {
  try {
    return extractPage(order);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: "refused", reason: `The page cannot be taken apart (${why.slice(0, 200)}).` };
  }
}
