// Egress of web scrapers: each scraper has a network of its own that reaches only its allowed hosts.

import type { WebScraperComponent } from "../core/config/webScraperComponent.ts";
import type { Egress } from "../core/ports.ts";
import { guardHosts } from "../network/policy/guardEgress.ts";
import { createPublicPolicy, type HostPolicy } from "../network/policy/hostPolicy.ts";
import { createUndiciEgress, type UndiciEgress } from "../network/undici/undiciEgress.ts";

interface Ways {
  /** Egress for requests that belong to no scraper. */
  readonly others: Egress;
  /** The operator's host policy. */
  readonly hosts: HostPolicy;
  /** Connect timeout in milliseconds. */
  readonly connectMs: number;
  /** Replaces the networks in a replay. */
  readonly outside?: Egress | undefined;
}

/** Sends each request through the network of the scraper that its purpose names. */
export function createScraperEgress(
  scrapers: readonly WebScraperComponent[],
  { others, hosts: operators, connectMs, outside }: Ways,
): UndiciEgress {
  const ways = scrapers.map(({ id, hosts: patterns = [] }) => {
    const hosts = createPublicPolicy(
      patterns.flatMap(({ host }) => (host.startsWith("*") ? [] : [host])),
      operators,
    );
    const network = createUndiciEgress({ connectMs, hosts });
    return { id, network, egress: guardHosts(outside ?? network.egress, hosts) };
  });
  const byScraper = new Map(ways.map(({ id, egress }) => [id, egress]));
  return {
    egress: {
      send: (request, signal) => (byScraper.get(request.purpose.scraper ?? "") ?? others).send(request, signal),
    },
    close: async () => void (await Promise.all(ways.map(({ network }) => network.close()))),
  };
}
