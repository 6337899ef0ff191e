// Components of the type `vector-store`: texts of owners, found by their meaning, as they are once postel.yaml is loaded. Knows no store and no model.

import type { JsonObject } from "../messages.ts";
import type { Parameters } from "../template/inferParameters.ts";
import type { ComponentAction } from "./componentActions.ts";

export const VECTOR_ACTIONS = ["insert", "search", "delete"] as const;
export type VectorAction = (typeof VECTOR_ACTIONS)[number];

export interface VectorStoreComponent {
  readonly type: "vector-store";
  readonly id: string;
  /** Of what is in it. */
  readonly description: string;
  /** The name of the model that makes texts into vectors. */
  readonly model: string;
  /** Each owner has one of this name. */
  readonly collection: string;
  /** Numbers that a vector must have; absent: as many as the model gives. */
  readonly dimension?: number | undefined;
  /** Texts and parts of texts of one owner. */
  readonly most: number;
  /** Characters of a part that a longer text is cut into; absent: each text is whole. */
  readonly chunk?: number | undefined;
  /** True where anybody may have written what is in it. */
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

/** What an action is given, with the refinements of its `params`. */
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
