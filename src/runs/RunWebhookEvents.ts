// What webhooks are told of a run, as it is written with the run: which run, what happened, and no word of what was said. Sends nothing.
import type { WebhookConfig } from "../core/config/configuration.ts";
import type { JsonObject } from "../core/messages.ts";
import type { Clock, Ids } from "../core/ports.ts";
import type { Interrupt } from "../core/runs/interrupts.ts";
import type { RunChange, RunRecord, WebhookDelivery } from "../core/stores.ts";

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

  /** Of what a run waits for. */
  ofInterrupts(run: RunRecord, interrupts: readonly Interrupt[]): readonly WebhookDelivery[] {
    return interrupts.flatMap(({ id, type, expiresAt }) =>
      this.#of("interrupt", run, { interrupt: { id, type, expires_at: Math.ceil(expiresAt / 1_000) } }),
    );
  }

  /** Of the end of a run that nobody waits for; whoever waits for one on a connection hears it there. */
  ofEnd(run: RunRecord, { outcome, failure }: NonNullable<RunChange["record"]>): readonly WebhookDelivery[] {
    if (!run.background) return [];
    return this.#of("run-end", run, { ...(outcome && { outcome }), ...(failure && { failure: failure.code }) });
  }

  #of(
    type: WebhookConfig["events"][number],
    { id: run, owner }: RunRecord,
    facts: JsonObject,
  ): readonly WebhookDelivery[] {
    const { webhooks, ids, clock } = this.#options;
    const body = JSON.stringify({ type, run, owner, ...facts, at: Math.floor(clock.now() / 1_000) });
    const told = webhooks.filter(({ events }) => events.includes(type));
    return told.map(({ url }) => ({ id: `msg_${ids.requestId()}`, url, body }));
  }
}
