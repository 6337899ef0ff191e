// The package `postel-gateway`: a gateway that a program of its own embeds.
import type { Activity } from "../agents/run/toActivity.ts";
import type { Config } from "../core/config/configuration.ts";
import type { Observer } from "../core/ports.ts";
import { type Gateway, openGateway } from "./openGateway.ts";
import { openServices } from "./openServices.ts";

export type { Activity } from "../agents/run/toActivity.ts";
export type { Config } from "../core/config/configuration.ts";
export { type Failure, PostelError } from "../core/failures.ts";
export type { Observation, Observer } from "../core/ports.ts";
export type { Gateway, ListenOptions } from "./openGateway.ts";
export { type ConfigFiles, readConfig } from "./readConfig.ts";

export interface GatewayOptions {
  /** Receivers of what happens: requests, failures, retries. Default: a log on standard error. */
  readonly observers?: readonly Observer[] | undefined;
  /** Called with the activities of each run, by the run's id. An error that it throws fails the run. */
  readonly onActivity?: ((run: string, activity: Activity) => void) | undefined;
}

/**
 * Creates a gateway that answers requests by `fetch` at once, and over HTTP after `listen`. Several gateways may exist in one
 * process. Call `close` when the gateway is no longer needed.
 *
 * @param config see `readConfig`
 * @throws PostelError `invalid_configuration` if tools have the same name or recordings cannot be read; `store_unavailable` if
 *   the store cannot be opened
 */
export async function createGateway(config: Config, options: GatewayOptions = {}): Promise<Gateway> {
  return openGateway(await openServices(config, options), config);
}
