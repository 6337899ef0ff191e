// The section `webhooks` of postel.yaml: who is told of runs, and with which secret that is signed. Sends nothing.
import { z } from "zod";
import { WEBHOOK_EVENTS, type WebhookConfig } from "../core/configuration.ts";
import { baseUrl, key, listOf, oneOf } from "./fields.ts";

/** Shorter keys of an HMAC can be guessed. Characters. */
const SHORTEST_SECRET = 16;

export function webhooksSchema() {
  const secret = key().refine((value) => value.length >= SHORTEST_SECRET, {
    error: `expected a secret of ${SHORTEST_SECRET} characters or more`,
  });
  const events = listOf(oneOf(WEBHOOK_EVENTS), "events").min(1, { error: "expected at least one event" });
  return listOf(
    z
      .strictObject({ url: baseUrl(), secret, events: events.default([...WEBHOOK_EVENTS]) })
      .transform((webhook): WebhookConfig => webhook),
    "webhooks",
  );
}
