// Starts the whole gateway over HTTP on a free port: from a configuration, or from the YAML text of one.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import OpenAI from "openai";
import type { Config } from "../../src/core/config/configuration.ts";
import type { Observer } from "../../src/core/ports.ts";
import { createHttpServer, type GatewayServices, openServices, readConfig } from "./gatewayModules.ts";

export interface GatewayOptions {
  readonly config: Config;
  readonly observer?: Observer | undefined;
  /** The folder of the transcripts; absent: nothing is recorded. */
  readonly recordTo?: string | undefined;
  /** Called with the services before the server listens. */
  readonly prepare?: (services: GatewayServices) => void;
}

export interface RunningGateway {
  readonly url: string;
  /** The official client, unchanged, on `/v1` or another base path. */
  client(path?: string): OpenAI;
  /** Tells the gateway that its process is about to end. */
  stop(): void;
  close(): Promise<void>;
}

export async function startGateway({
  config,
  observer = { observe: () => {} },
  recordTo,
  prepare = () => {},
}: GatewayOptions): Promise<RunningGateway> {
  const services = await openServices(config, { observers: [observer], recordTo });
  prepare(services);
  const stopping = new AbortController();
  const server = createHttpServer({ ...services, stopSignal: stopping.signal }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    client: (path = "/v1") => new OpenAI({ baseURL: `${url}${path}`, apiKey: "none", maxRetries: 0 }),
    stop: () => stopping.abort(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await services.close();
    },
  };
}

let shipped: Config | undefined;

/** The configuration that is in the package. It is frozen, and read once for each test file. */
export function shippedConfig(): Config {
  shipped ??= readFile(resolve("config/postel.yaml"), {});
  return shipped;
}

/** Every model name goes to the server at this base URL; nothing is tried twice. */
export function configFor(baseUrl: string): Config {
  return {
    ...shippedConfig(),
    upstreams: [{ type: "server", wire: "openai", id: "fake", baseUrl, headers: {}, models: ["*"], parse: "on" }],
    retries: { attempts: 1, minWaitMs: 1, maxWaitMs: 1 },
  };
}

/**
 * The configuration of a file with this text.
 * @param folder where the file is written; absent: into a folder that is removed again.
 * @throws PostelError `invalid_configuration`.
 */
export function configOf(
  yaml: string,
  env: Readonly<Record<string, string | undefined>> = {},
  folder?: string,
): Config {
  const place = folder ?? mkdtempSync(join(tmpdir(), "postel-config-"));
  try {
    const file = join(place, "postel.yaml");
    writeFileSync(file, yaml);
    return readFile(file, env);
  } finally {
    if (folder === undefined) rmSync(place, { recursive: true, force: true });
  }
}

function readFile(file: string, env: Readonly<Record<string, string | undefined>>): Config {
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
}
