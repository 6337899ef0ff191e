// `postel serve`: runs the gateway process: listens, prints the address, and shuts down on a signal.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import type { Config } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Observer } from "../../core/ports.ts";
import { createGateway, type Gateway } from "../../gateway/createGateway.ts";
import { createHttpServer } from "../../server/httpServer.ts";
import { describeUpstream, sortShowcaseFirst } from "../models/upstreamStates.ts";
import { loadWithUpstream, type UpstreamFlags } from "../options/loadFlags.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { findUnservedModels } from "../validate/missingModels.ts";
import { tuneHeap } from "./tuneHeap.ts";

export interface ServeFlags extends UpstreamFlags {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly record?: string | undefined;
}

/** Time for active answers to finish after a shutdown request. Milliseconds. */
const DRAIN_MS = 30_000;

/**
 * Heap growth between two full collections, in per cent. V8 lets a small heap grow fourfold, which is hundreds of megabytes
 * of garbage under load (decisions/0033).
 */
const HEAP_GROWTH = 40;

/**
 * Number of calls after which V8 optimizes a function. Its default of 3,000 is thousands of requests, each of which calls
 * most functions once (decisions/0102).
 */
const CALLS_UNTIL_COMPILED = 300;

/**
 * Resolves with the exit status when the gateway has ended. 0 after SIGTERM or SIGINT (a second one ends it at once); 1 after
 * a fault outside of every request, so that a supervisor restarts it.
 */
export async function runServe(flags: ServeFlags): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const config = loadWithUpstream(flags, { host: flags.host, port: flags.port ?? portOfEnvironment() });
  const stopSignal = new AbortController();
  const stop = () => {
    if (stopSignal.signal.aborted) process.exit(1);
    stopSignal.abort();
  };
  const leave = () => stopSignal.abort();
  process.on("SIGTERM", stop).on("SIGINT", stop);
  process.stdout.on("error", leave);
  const gateway = await createGateway(config, { ...(flags.record && { recordTo: flags.record }) });
  let status = 0;
  const fail = (error: unknown) => {
    status = 1;
    logFault(error, gateway.observer);
    stopSignal.abort();
  };
  process.on("uncaughtException", fail);
  try {
    await runServer(gateway, config, stopSignal.signal);
  } finally {
    process.off("SIGTERM", stop).off("SIGINT", stop).off("uncaughtException", fail);
    process.stdout.off("error", leave);
    await gateway.close();
  }
  return status;
}

/**
 * A fault outside of every request leaves an unknown state, so the process shuts down in an orderly way: active requests get
 * time to finish. An unhandled rejection is such a fault too.
 */
function logFault(error: unknown, observer: Observer): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  observer.observe({ type: "failure", run: "gateway", failure: createFailure("internal_error", stack) });
  const name = error instanceof Error ? error.name : typeof error;
  writeNote(`fatal: a fault outside of any request (${name}); running answers may end, then the gateway does.`);
}

function portOfEnvironment(): number | undefined {
  const value = process.env.PORT;
  if (value === undefined || value === "") return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new PostelError(
    createFailure("invalid_configuration", `PORT: expected a number from 0 to 65535, got ${value}.`),
  );
}

async function runServer(gateway: Gateway, config: Config, stopSignal: AbortSignal): Promise<void> {
  const server = createHttpServer({ ...gateway, stopping: stopSignal });
  const answers = openAnswers(server);
  await listen(server, config.server);
  setFlagsFromString(`--invocation-count-for-turbofan=${CALLS_UNTIL_COMPILED}`);
  const bound = tuneHeap();
  if (config.store.file !== undefined) gateway.runs.startBackgroundRuns();
  gateway.heads?.start();
  await announce(gateway, config, (server.address() as AddressInfo).port, stopSignal);
  if (!stopSignal.aborted) await new Promise((resolve) => stopSignal.addEventListener("abort", resolve, { once: true }));
  // New work is answered with 503 while running answers end, so the port stays open until then.
  await answers.waitForAnswers(DRAIN_MS);
  bound.disconnect();
  server.close();
  server.closeAllConnections();
}

/**
 * Counts active answers and waits for their end. A set of them would retain a tenth of the finished ones until the next full
 * collection (decisions/0100).
 */
function openAnswers(server: Server): { waitForAnswers: (ms: number) => Promise<void> } {
  let open = 0;
  let onEmpty: (() => void) | undefined;
  const onClose = () => {
    open -= 1;
    if (open === 0) onEmpty?.();
  };
  server.on("request", (_request, response) => {
    open += 1;
    response.once("close", onClose);
  });
  return {
    waitForAnswers: (ms) =>
      new Promise((resolve) => {
        if (open === 0) return resolve();
        const timer = setTimeout(resolve, ms);
        onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

async function listen(server: Server, { host, port, maxConnections }: Config["server"]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new PostelError(createFailure("invalid_configuration", whyNot(error, host, port)))),
    );
    // Simultaneous connections wait in the kernel, which has its own limit (`net.core.somaxconn`), and are not reset.
    server.listen({ port, host, backlog: maxConnections }, resolve);
  });
}

function whyNot(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === "EADDRINUSE") {
    return `Cannot listen on ${host}:${port}: the port is taken by another program; choose one with --port (0: any free one).`;
  }
  return `Cannot listen on ${host}:${port}: ${error.message}.`;
}

async function announce(gateway: Gateway, config: Config, port: number, stopSignal: AbortSignal): Promise<void> {
  const { host } = config.server;
  const displayHost = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  const origin = `http://${displayHost.includes(":") ? `[${displayHost}]` : displayHost}:${port}`;
  writeText(`Postel listens on ${origin}\n`);
  if (displayHost !== host && config.server.apiKeys.length === 0) {
    writeNote(`warning: it listens on ${host} without API keys; let nothing but this machine reach the port.`);
  }
  if (config.server.apiKeys.length === 0) {
    writeNote("note: without API keys all callers are one, `local`, who owns what is kept of sessions and runs.");
  }
  for (const line of findUnservedModels(config, gateway.directory)) writeNote(`warning: ${line}.`);
  const states = await gateway.directory.survey(stopSignal);
  if (stopSignal.aborted) return;
  for (const state of states) writeText(`Upstream ${state.id} at ${describeUpstream(state)}\n`);
  // Suggests an agent with its own model and without approvals; the first model of several upstreams may be for embeddings
  // only.
  const agent = config.agents.find(
    ({ model, tools }) => model !== undefined && tools.every(({ approval }) => !approval),
  );
  const [model] = sortShowcaseFirst(states.flatMap(({ models }) => models));
  const body = JSON.stringify({
    model: agent?.id ?? model ?? "your-model",
    messages: [{ role: "user", content: "What is 17 times 23?" }],
  });
  const key = config.server.apiKeys.length > 0 ? ` -H 'authorization: Bearer YOUR_KEY'` : "";
  writeText(
    `Try: curl ${origin}/v1/agent -H 'content-type: application/json'${key} -d '${body.replaceAll("'", "'\\''")}'\n`,
  );
}
