// The chat wire itself, which everything else is turned into. Changes no word.
import { imagesBehindResults } from "../resultImages.ts";
import { objectsIn } from "../wireJson.ts";
import { beforePath } from "./beforePath.ts";
import type { UpstreamWire } from "./UpstreamWire.ts";

const PATH = "/chat/completions";

/** OpenAI's, and that of most servers of other vendors. */
export const openai: UpstreamWire = {
  id: "openai",
  name: "an OpenAI API",
  headers: ({ apiKey }) => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
  // Another name than the model's is said by the replay of a recording alone.
  translation: {
    ask: (written, { deployment: model }) => {
      const body = imagesBehindResults(written);
      return { path: PATH, body: model ? { ...body, model } : body, dropped: [] };
    },
  },
  passes: (path, model) => ({ path, model }),
  list: {
    path: "/models",
    entries: ({ data }) => (Array.isArray(data) ? objectsIn(data) : undefined),
  },
  baseOf: (url) => beforePath(url, PATH),
};
