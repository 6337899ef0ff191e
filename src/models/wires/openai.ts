// The chat wire, to which all other wires are converted. Changes no content.

import { asObjects } from "../looseJson.ts";
import { moveResultImages } from "../request/toolResultImages.ts";
import { stripPath } from "./baseUrlOf.ts";
import type { UpstreamWire } from "./UpstreamWire.ts";

const PATH = "/chat/completions";

/** OpenAI's, and that of most servers of other vendors. */
export const openai: UpstreamWire = {
  id: "openai",
  name: "an OpenAI API",
  headers: ({ apiKey }) => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
  // Only the replay of a recording sends another name than the model's.
  translation: {
    ask: (chatBody, { deployment: model }) => {
      const body = moveResultImages(chatBody);
      return { path: PATH, body: model ? { ...body, model } : body, dropped: [] };
    },
  },
  passes: (path, model) => ({ path, model }),
  list: {
    path: "/models",
    entries: ({ data }) => (Array.isArray(data) ? asObjects(data) : undefined),
  },
  getBaseUrl: (url) => stripPath(url, PATH),
};
