// The section `webhooks` of postel.yaml: the receivers of run events, and the secret that signs deliveries.
import { z } from "zod";
import { WEBHOOK_EVENTS, type WebhookConfig } from "../../core/config/configuration.ts";
import { baseUrl, enumField, key, listField } from "../fields.ts";

/** Minimum length in characters: shorter HMAC keys can be guessed. */
const SHORTEST_SECRET = 16;

export function createWebhooksSchema() {
  const secret = key().refine((value) => value.length >= SHORTEST_SECRET, {
    error: `expected a secret of ${SHORTEST_SECRET} characters or more`,
  });
  const events = listField(enumField(WEBHOOK_EVENTS), "events").min(1, { error: "expected at least one event" });
  return listField(
    z
      .strictObject({ url: baseUrl(), secret, events: events.default([...WEBHOOK_EVENTS]) })
      .transform((webhook): WebhookConfig => webhook),
    "webhooks",
  );
}
