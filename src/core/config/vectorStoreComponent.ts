// Defines loaded components of type `vector-store`: texts of owners that are found by meaning.

import type { JsonObject } from "../messages.ts";
import type { Parameters } from "../template/inferParameters.ts";
import type { ComponentAction } from "./componentActions.ts";

export const VECTOR_ACTIONS = ["insert", "search", "delete"] as const;
export type VectorAction = (typeof VECTOR_ACTIONS)[number];

export interface VectorStoreComponent {
  readonly type: "vector-store";
  readonly id: string;
  /** Description of the content. */
  readonly description: string;
  /** Name of the embedding model. */
  readonly model: string;
  /** Name of the collection; each owner has one. */
  readonly collection: string;
  /** Required number of dimensions; absent: as many as the model returns. */
  readonly dimension?: number | undefined;
  /** Maximum number of texts and parts of one owner. */
  readonly most: number;
  /** Maximum characters of a part into which a longer text is split; absent: texts are not split. */
  readonly chunk?: number | undefined;
  /** True if its content is untrusted. */
  readonly untrusted: boolean;
  readonly actions: readonly VectorActionConfig[];
}

export interface VectorActionConfig extends Omit<ComponentAction, "id" | "untrusted"> {
  readonly id: VectorAction;
}

const TEXT: JsonObject = { type: "string" };
const FILTER: JsonObject = {
  type: "object",
  description:
    'What the metadata must say, by name: a value, a list of which one must be it, or bounds of a number as {"gte": 1, "lt": 5} (gt, gte, lt, lte).',
};

const PROPERTIES: Readonly<Record<VectorAction, Readonly<Record<string, JsonObject>>>> = {
  insert: {
    text: { type: "string", description: "A text that is understood by itself." },
    texts: { type: "array", items: TEXT, description: "Several texts, in the place of `text`." },
    id: { type: "string", description: "By which it is replaced or deleted later; of one text." },
    title: TEXT,
    url: { type: "string", description: "Where it comes from: http or https." },
    metadata: { type: "object", description: "Texts, numbers, booleans or lists of them, by name." },
  },
  search: {
    query: { type: "string", description: "What the texts should be about." },
    top: { type: "integer", description: "How many are wanted.", minimum: 1, maximum: 50, default: 5 },
    filter: FILTER,
  },
  delete: {
    id: TEXT,
    filter: FILTER,
    all: { type: "boolean", description: "True: everything that is in it." },
  },
};

const REQUIRED: Readonly<Record<VectorAction, readonly string[]>> = { insert: [], search: ["query"], delete: [] };

/** JSON Schema of an action's arguments, with the additions of its `params`. */
export function buildVectorParameters({ id, params }: Pick<VectorActionConfig, "id" | "params">): Parameters {
  const own = PROPERTIES[id];
  const refined = Object.entries(params).map(([name, refinement]) => [name, { ...own[name], ...refinement }]);
  return {
    type: "object",
    properties: { ...own, ...Object.fromEntries(refined) },
    required: REQUIRED[id],
    additionalProperties: false,
  };
}
