// The wire of Anthropic's Messages: address, headers, model list and translators.
import { asObjects } from "../../looseJson.ts";
import { stripPath } from "../baseUrlOf.ts";
import type { UpstreamWire } from "../UpstreamWire.ts";

const PATH = "/messages";
/**
 * The version that takes `temperature`, `top_p` and `top_k`, and the one that servers of other vendors know
 * ([0057](../../../../docs/internals/decisions/0057-anthropic-messages.md)).
 */
const VERSION = "2023-06-01";
/** Entries of a page of the list: the most that the API gives, and more than it has models. */
const MAX_LISTED = 1_000;

/** Anthropic's, and that of servers which are made to be asked like it. */
export const anthropic: UpstreamWire = {
  id: "anthropic",
  name: "Anthropic's Messages API",
  headers: ({ apiKey }) => ({ "anthropic-version": VERSION, ...(apiKey && { "x-api-key": apiKey }) }),
  quirks: ["no-blank-stop", "names-64", "ids-64", "schema-object"],
  // Loaded with the first request: it takes 12 ms, and most gateways have no upstream of this wire.
  translation: async () => (await import("./messagesTranslation.ts")).createMessagesTranslation(PATH),
  list: {
    path: `/models?limit=${MAX_LISTED}`,
    entries: ({ data }) => (Array.isArray(data) ? asObjects(data) : undefined),
  },
  getBaseUrl: (url) => stripPath(url, PATH),
};
