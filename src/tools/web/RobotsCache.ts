// Caches the robots.txt rules of sites, fetched once per run.

import { setBounded } from "../../core/async/setBounded.ts";
import type { Clock } from "../../core/ports.ts";
import { isAllowed, parseRobotsRules, type RobotsRule } from "./robotsRules.ts";

/** Files that are remembered, of all runs; of each the rules for one product. */
const MOST_FILES = 64;
/** Milliseconds for which an entry is valid; RFC 9309, 2.4 allows a day. */
const KEPT_MS = 3_600_000;

/** A query of a run about a site's robots.txt. */
interface Asking {
  readonly run: string;
  /** The product name of the gateway in robots.txt. */
  readonly product: string;
  /** Fetches the file if the run does not have it. Resolves with undefined if the site has none; rejects if that is unknown. */
  readonly fetched: () => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** Cache of robots.txt per run: each run fetches the file itself, so that its recording is complete. */
export class RobotsCache {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #known = new Map<string, { readonly rules: Promise<readonly RobotsRule[]>; readonly at: number }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Returns true if the run may read the page. Rejects as `fetched` does. */
  async allows(url: URL, { run, product, fetched, signal }: Asking): Promise<boolean> {
    if (url.pathname === "/robots.txt") return true;
    const key = JSON.stringify([run, product, url.origin]);
    const now = this.#clock.monotonic();
    const known = this.#known.get(key);
    const isFresh = known && now - known.at < KEPT_MS;
    const rules = isFresh ? known.rules : fetched().then((text = "") => parseRobotsRules(text, product));
    if (!isFresh) setBounded(this.#known, { key, value: { rules, at: now }, maxSize: MOST_FILES });
    try {
      return await isAllowed(`${url.pathname}${url.search}`, await rules, signal);
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }
}
