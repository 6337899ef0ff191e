// What the sites that a run reads say to robots, fetched once for each run. Knows no page.

import { setBounded } from "../../core/async/setBounded.ts";
import type { Clock } from "../../core/ports.ts";
import { isAllowed, parseRobotsRules, type RobotsRule } from "./robotsRules.ts";

/** Files that are remembered, of all runs; of each the rules for one product. */
const MOST_FILES = 64;
/** Milliseconds for which one counts; RFC 9309, 2.4 allows a day. */
const KEPT_MS = 3_600_000;

/** What a run asks of a site's robots.txt. */
interface Asking {
  readonly run: string;
  /** The word by which robots.txt knows the gateway. */
  readonly product: string;
  /** Called where the run does not know the file; gives undefined where the site has none, and rejects where nobody can tell. */
  readonly fetched: () => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** A site's robots.txt as one run knows it: a run asks for it itself, so that its recording has all that it went by. */
export class RobotsCache {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #known = new Map<string, { readonly rules: Promise<readonly RobotsRule[]>; readonly at: number }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Whether the page may be read for the run. Rejects as `fetched` does. */
  async allows(url: URL, { run, product, fetched, signal }: Asking): Promise<boolean> {
    if (url.pathname === "/robots.txt") return true;
    const key = JSON.stringify([run, product, url.origin]);
    const now = this.#clock.monotonic();
    const known = this.#known.get(key);
    const isFresh = known && now - known.at < KEPT_MS;
    const rules = isFresh ? known.rules : fetched().then((text = "") => parseRobotsRules(text, product));
    if (!isFresh) setBounded(this.#known, { key, value: { rules, at: now }, most: MOST_FILES });
    try {
      return await isAllowed(`${url.pathname}${url.search}`, await rules, signal);
    } catch (error) {
      this.#known.delete(key);
      throw error;
    }
  }
}
