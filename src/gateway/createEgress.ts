// How bytes leave the gateway, layer by layer: recorded, cut off, retried, observed, guarded. Knows no model and no tool.
import type { Config } from "../core/config/configuration.ts";
import { mayRedirect } from "../core/http/redirectOrigins.ts";
import type { Clock, Egress, Observer, Random } from "../core/ports.ts";
import { createBreakerEgress } from "../network/breaker/breakerEgress.ts";
import { guardEgress } from "../network/policy/guardEgress.ts";
import { createHostPolicy } from "../network/policy/hostPolicy.ts";
import { retryEgress } from "../network/retry/retryEgress.ts";
import { createUndiciEgress, type UndiciEgress } from "../network/undici/undiciEgress.ts";
import { observeEgress } from "../telemetry/observeEgress.ts";

/** What leads out of the gateway. */
interface WayOut {
  /** To the network: what models, tools and webhooks go by. */
  readonly egress: Egress;
  /** To whatever else may lie at the far end, such as a recording. */
  wayOut(innermost: Egress): Egress;
  readonly network: Pick<UndiciEgress, "close">;
}

/** What every way to an upstream shares, whatever lies at its far end: it is recorded, cut off, retried and observed. */
export interface OnTheWay {
  /** The layer that records; absent: nothing is recorded. */
  recorded?(inner: Egress): Egress;
  readonly clock: Clock;
  /** Whose time the pauses between attempts take. */
  readonly waits: Clock;
  readonly random: Random;
  readonly observer: Observer;
}

/** @param outside takes the network's place: what a replay is. */
export async function createEgress(config: Config, on: OnTheWay, outside?: Egress): Promise<WayOut> {
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
  // Loaded only where there is one.
  const { createScraperEgress } = await import("./scraperEgress.ts");
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

/** True for the origins that an action may be redirected to. */
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

/** Where the gateway may go: what the operator wrote, and nowhere else. */
function collectOrigins({ upstreams, components, webhooks }: Config): readonly string[] {
  const models = upstreams.flatMap((upstream) => (upstream.type === "server" ? [upstream.baseUrl] : []));
  const services = components.flatMap((component) => ("baseUrl" in component ? [component.baseUrl] : []));
  const servers = components.flatMap((component) =>
    component.type === "mcp" && component.connection.type === "http" ? [component.connection.url] : [],
  );
  return [...models, ...services, ...servers, ...webhooks.map(({ url }) => url)];
}
