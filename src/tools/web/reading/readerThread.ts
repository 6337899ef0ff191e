// The thread in which pages are read, one after the other: entered by file, imported by nobody. Knows its orders and nothing of the gateway.
import { parentPort } from "node:worker_threads";
import type { ReadAnswer, ReadOrder } from "./ReadOrder.ts";
import { readPage } from "./readPage.ts";

parentPort?.on("message", (order: ReadOrder) => parentPort?.postMessage(answerTo(order)));
// Until then it is loading, which is no page's fault.
parentPort?.postMessage("ready");

/** A page that its reader stumbles over is refused, and the thread goes on. */
function answerTo(order: ReadOrder): ReadAnswer {
  try {
    return readPage(order);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: "refused", reason: `The page cannot be taken apart (${why.slice(0, 200)}).` };
  }
}
