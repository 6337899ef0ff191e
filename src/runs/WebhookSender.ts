// Sends due webhook deliveries, signed as the Standard Webhooks specification says, until each succeeds or is abandoned.
import { createHmac } from "node:crypto";
import type { WebhookConfig } from "../core/config/configuration.ts";
import { toFailure } from "../core/failures.ts";
import type { Clock, Egress, Observer } from "../core/ports.ts";
import type { DueWebhookDelivery, WebhookStore } from "../core/stores/WebhookStore.ts";

export interface WebhookSenderOptions {
  readonly webhooks: readonly WebhookConfig[];
  readonly notices: WebhookStore;
  readonly egress: Egress;
  readonly clock: Pick<Clock, "now">;
  readonly observer: Observer;
}

/** Maximum number of parallel deliveries. */
const AT_ONCE = 10;
/** Milliseconds for one response; if the process ends meanwhile, the delivery is due again after twice as long. */
const ANSWER_MS = 15_000;
/** Milliseconds before each further attempt, about three days in all; after the last one a delivery is abandoned. */
const PAUSES_MS = [5_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 86_400_000, 86_400_000];

export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #secrets: ReadonlyMap<string, string>;
  #sending: Promise<void> | undefined;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#secrets = new Map(options.webhooks.map(({ url, secret }) => [url, secret]));
  }

  /** Sends the due deliveries; resolves when all were tried. Never rejects. */
  send(signal: AbortSignal): Promise<void> {
    if (this.#secrets.size === 0) return Promise.resolve();
    this.#sending ??= this.#sendAll(signal).finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    try {
      const dueDeliveries = await this.#options.notices.take(AT_ONCE, 2 * ANSWER_MS);
      await Promise.all(dueDeliveries.map((notice) => this.#sendOne(notice, signal)));
    } catch (error) {
      this.#options.observer.observe({ type: "failure", run: "gateway", failure: toFailure(error) });
    }
  }

  async #sendOne(notice: DueWebhookDelivery, signal: AbortSignal): Promise<void> {
    const { notices, observer } = this.#options;
    try {
      await this.#postDelivery(notice, signal);
      await notices.done(notice.id);
    } catch (error) {
      // The next process sends it.
      if (signal.aborted) return;
      observer.observe({ type: "failure", run: notice.run, failure: toFailure(error) });
      const pauseMs = PAUSES_MS[notice.attempt - 1];
      await (pauseMs === undefined ? notices.done(notice.id) : notices.postpone(notice.id, pauseMs));
    }
  }

  /** @throws for any response other than 2xx. */
  async #postDelivery({ id, url, body, run }: DueWebhookDelivery, signal: AbortSignal): Promise<void> {
    const secret = this.#secrets.get(url);
    // The webhook is no longer configured.
    if (secret === undefined) return;
    const { egress, clock } = this.#options;
    const timestamp = String(Math.floor(clock.now() / 1_000));
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signContent(secret, `${id}.${timestamp}.${body}`)}`,
    };
    const timers = { headersMs: ANSWER_MS };
    const purpose = { kind: "webhook", key: new URL(url).origin, run, repeatable: false, timers } as const;
    const response = await egress.send({ method: "POST", url, headers, body, purpose }, signal);
    for await (const _ of response.body) break;
    if (response.status < 200 || response.status > 299)
      throw new Error(`The webhook ${new URL(url).origin} answered with status ${response.status}`);
  }
}

/** A secret that begins with `whsec_` is a base64 key; any other is the key itself. */
function signContent(secret: string, content: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
  return createHmac("sha256", key).update(content).digest("base64");
}
