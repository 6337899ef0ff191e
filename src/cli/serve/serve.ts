// `postel serve`: runs the gateway process: listens, prints the address, and shuts down on a signal.
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import type { Config } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { Observer } from "../../core/ports.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { type Gateway, openGateway } from "../../gateway/openGateway.ts";
import { openServices } from "../../gateway/openServices.ts";
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
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  };
  const leave = () => stopping.abort();
  process.on("SIGTERM", stop).on("SIGINT", stop);
  process.stdout.on("error", leave);
  const services = await openServices(config, { ...(flags.record && { recordTo: flags.record }) });
  const gateway = openGateway(services, config);
  let status = 0;
  const fail = (error: unknown) => {
    status = 1;
    logFault(error, services.observer);
    stopping.abort();
  };
  process.on("uncaughtException", fail);
  try {
    await listenUntil(stopping.signal, { gateway, services, config });
  } finally {
    await gateway.close();
    process.off("SIGTERM", stop).off("SIGINT", stop).off("uncaughtException", fail);
    process.stdout.off("error", leave);
  }
  return status;
}

interface Serving {
  readonly gateway: Gateway;
  readonly services: GatewayServices;
  readonly config: Config;
}

/** Listens until the signal aborts. */
async function listenUntil(stopping: AbortSignal, { gateway, services, config }: Serving): Promise<void> {
  const url = await gateway.listen();
  setFlagsFromString(`--invocation-count-for-turbofan=${CALLS_UNTIL_COMPILED}`);
  const bound = tuneHeap();
  await announce(url, services, config, stopping);
  if (!stopping.aborted) await once(stopping, "abort");
  bound.disconnect();
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

async function announce(url: string, services: GatewayServices, config: Config, stopping: AbortSignal): Promise<void> {
  const { host } = config.server;
  writeText(`Postel listens on ${url}\n`);
  if (["0.0.0.0", "::"].includes(host) && config.server.apiKeys.length === 0) {
    writeNote(`warning: it listens on ${host} without API keys; let nothing but this machine reach the port.`);
  }
  if (config.server.apiKeys.length === 0) {
    writeNote("note: without API keys all callers are one, `local`, who owns what is kept of sessions and runs.");
  }
  for (const line of findUnservedModels(config, services.directory)) writeNote(`warning: ${line}.`);
  const states = await services.directory.survey(stopping);
  if (stopping.aborted) return;
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
    `Try: curl ${url}/v1/agent -H 'content-type: application/json'${key} -d '${body.replaceAll("'", "'\\''")}'\n`,
  );
}
