// Creates the webhook deliveries of a run. They name the run and the event, and contain no text of the conversation.
import type { WebhookConfig } from "../core/config/configuration.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Clock, Ids } from "../core/ports.ts";
import type { Interrupt } from "../core/runs/interrupts.ts";
import type { RunChange, RunRecord } from "../core/stores/RunStore.ts";
import type { WebhookDelivery } from "../core/stores/WebhookStore.ts";

export interface RunWebhookEventsOptions {
  readonly webhooks: readonly WebhookConfig[];
  readonly ids: Pick<Ids, "requestId">;
  readonly clock: Pick<Clock, "now">;
}

export class RunWebhookEvents {
  readonly #options: RunWebhookEventsOptions;

  constructor(options: RunWebhookEventsOptions) {
    this.#options = options;
  }

  /** Deliveries for new interrupts. */
  ofInterrupts(run: RunRecord, interrupts: readonly Interrupt[]): readonly WebhookDelivery[] {
    return interrupts.flatMap(({ id, type, expiresAt }) =>
      this.#createDeliveries("interrupt", run, { interrupt: { id, type, expires_at: Math.ceil(expiresAt / 1_000) } }),
    );
  }

  /** Deliveries for the end of a background run; other runs report their end to the waiting client. */
  ofEnd(run: RunRecord, { outcome, failure }: NonNullable<RunChange["record"]>): readonly WebhookDelivery[] {
    if (!run.background) return [];
    return this.#createDeliveries("run-end", run, {
      ...(outcome && { outcome }),
      ...(failure && { failure: failure.code }),
    });
  }

  #createDeliveries(
    type: WebhookConfig["events"][number],
    { id: run, owner }: RunRecord,
    facts: JsonObject,
  ): readonly WebhookDelivery[] {
    const { webhooks, ids, clock } = this.#options;
    const body = JSON.stringify({ type, run, owner, ...facts, at: Math.floor(clock.now() / 1_000) });
    const receivers = webhooks.filter(({ events }) => events.includes(type));
    return receivers.map(({ url }) => ({ id: `msg_${ids.requestId()}`, url, body }));
  }
}
