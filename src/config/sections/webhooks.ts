// The section `webhooks` of postel.yaml: who is told of runs, and with which secret that is signed. Sends nothing.
import { z } from "zod";
import { WEBHOOK_EVENTS, type WebhookConfig } from "../../core/config/configuration.ts";
import { baseUrl, enumField, key, listField } from "../fields.ts";

/** Shorter keys of an HMAC can be guessed. Characters. */
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
