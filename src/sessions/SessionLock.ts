// One turn of a session at a time, over all processes of a store. Knows no turn.
import { createFailure, PostelError } from "../core/failures.ts";
import type { Clock } from "../core/ports.ts";
import type { OwnerKey, SessionStore } from "../core/stores.ts";

/** Milliseconds for which a session stays held once its holder's process has ended, and between two renewals. */
const HOLD_MS = 30_000;
const RENEW_MS = 10_000;

export class SessionLock {
  readonly #sessions: Pick<SessionStore, "hold" | "release">;
  readonly #clock: Pick<Clock, "sleep">;

  constructor(sessions: Pick<SessionStore, "hold" | "release">, clock: Pick<Clock, "sleep">) {
    this.#sessions = sessions;
    this.#clock = clock;
  }

  /**
   * Does the work while nobody else takes a turn; the signal that it is given is also aborted where the session was lost to another.
   * @throws PostelError `session_busy` where somebody does.
   */
  async during<Value>(
    key: OwnerKey,
    { holder, signal }: { readonly holder: string; readonly signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const wait = await this.#sessions.hold(key, holder, HOLD_MS);
    if (wait !== true) throw new PostelError(busy(key.id, wait));
    const over = new AbortController();
    const lost = new AbortController();
    const renewing = this.#renew(key, holder, { over: over.signal, lost });
    try {
      return await work(AbortSignal.any([signal, lost.signal]));
    } finally {
      over.abort();
      await renewing;
      // What is not released now ends by itself.
      await this.#sessions.release(key, holder).catch(() => undefined);
    }
  }

  async #renew(
    key: OwnerKey,
    holder: string,
    { over, lost }: { readonly over: AbortSignal; readonly lost: AbortController },
  ): Promise<void> {
    while (await this.#pause(over)) {
      // A store that does not answer now may do so before the hold has ended.
      const held = await this.#sessions.hold(key, holder, HOLD_MS).catch(() => true as const);
      if (held !== true) lost.abort(new PostelError(busy(key.id, held)));
    }
  }

  async #pause(over: AbortSignal): Promise<boolean> {
    await this.#clock.sleep(RENEW_MS, over).catch(() => undefined);
    return !over.aborted;
  }
}

/** A turn is over in seconds, mostly: to come again when the hold has ended would be too late. Milliseconds. */
const MOST_WAIT_MS = 5_000;

function busy(session: string, ms: number) {
  return createFailure(
    "session_busy",
    `Another turn of the session \`${session}\` is being taken; send this one again when that has been answered.`,
    { retryAfterMs: Math.min(Math.max(ms, 1_000), MOST_WAIT_MS) },
  );
}
