// Composes the egress from its layers: recording, breaker, retries, observation, guard.

import type { Config } from "../core/config/configuration.ts";
import { mayRedirect } from "../core/http/redirectOrigins.ts";
import type { Clock, Egress, Observer, Random } from "../core/ports.ts";
import { createBreakerEgress } from "../network/breaker/breakerEgress.ts";
import { guardEgress } from "../network/policy/guardEgress.ts";
import { createHostPolicy } from "../network/policy/hostPolicy.ts";
import { retryEgress } from "../network/retry/retryEgress.ts";
import { createUndiciEgress, type UndiciEgress } from "../network/undici/undiciEgress.ts";
import { observeEgress } from "../telemetry/observeEgress.ts";
import { createScraperEgress } from "./scraperEgress.ts";

/** The egress of the gateway. */
interface WayOut {
  /** Egress to the network for models, tools and webhooks. */
  readonly egress: Egress;
  /** Wraps another innermost egress, such as a recording, in the same layers. */
  wayOut(innermost: Egress): Egress;
  readonly network: Pick<UndiciEgress, "close">;
}

/** Options of the layers that every egress shares: recording, breaker, retries and observation. */
export interface OnTheWay {
  /** The recording layer; absent: nothing is recorded. */
  recorded?(inner: Egress): Egress;
  readonly clock: Clock;
  /** Clock of the pauses between attempts. */
  readonly waits: Clock;
  readonly random: Random;
  readonly observer: Observer;
}

/** @param outside replaces the network in a replay. */
export function createEgress(config: Config, on: OnTheWay, outside?: Egress): WayOut {
  const hosts = createHostPolicy(config.egress.allow);
  const network = createUndiciEgress({ connectMs: config.timeouts.connectMs, hosts });
  const wayOut = wayOutThrough(config, on);
  const guarded = guardEgress(
    outside ?? network.egress,
    { origins: collectOrigins(config), isPattern: createRedirectTest(config) },
    hosts,
  );
  const scrapers = config.components.filter((component) => component.type === "web-scraper");
  if (scrapers.length === 0) return { egress: wayOut(guarded), wayOut, network };
  const pages = createScraperEgress(scrapers, {
    others: guarded,
    hosts,
    connectMs: config.timeouts.connectMs,
    outside,
  });
  const close = async (): Promise<void> => void (await Promise.all([network.close(), pages.close()]));
  return { egress: wayOut(pages.egress), wayOut, network: { close } };
}

function wayOutThrough({ retries }: Config, on: OnTheWay): (innermost: Egress) => Egress {
  const { recorded = (inner) => inner, clock, waits, random, observer } = on;
  return (innermost) => {
    const once = createBreakerEgress(recorded(innermost), { clock });
    return observeEgress(retryEgress(once, { ...retries, clock: waits, random, observer }), { observer, clock });
  };
}

/** Returns a test for the origins that an action may be redirected to. */
function createRedirectTest({ components }: Config): (origin: string) => boolean {
  const ways = components.flatMap((component) =>
    component.type === "http-client" || component.type === "openapi"
      ? component.actions.flatMap(({ redirectOrigins = [] }) =>
          redirectOrigins.length > 0 ? [{ own: new URL(component.baseUrl), redirectOrigins }] : [],
        )
      : [],
  );
  return (origin) => ways.some(({ own, redirectOrigins }) => mayRedirect(new URL(origin), own, redirectOrigins));
}

/** Origins that the gateway may contact: those in the operator's configuration, and no others. */
function collectOrigins({ upstreams, components, webhooks }: Config): readonly string[] {
  const models = upstreams.flatMap((upstream) => (upstream.type === "server" ? [upstream.baseUrl] : []));
  const services = components.flatMap((component) => ("baseUrl" in component ? [component.baseUrl] : []));
  const servers = components.flatMap((component) =>
    component.type === "mcp" && component.connection.type === "http" ? [component.connection.url] : [],
  );
  return [...models, ...services, ...servers, ...webhooks.map(({ url }) => url)];
}
