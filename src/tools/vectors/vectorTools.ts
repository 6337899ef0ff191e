// Creates the tools of a `vector-store` component, one for each action. Each acts for the owner of its run only.
import { createHash } from "node:crypto";
import type { VectorEntry } from "../../core/config/vectorStore.ts";
import {
  buildVectorParameters,
  type VectorAction,
  type VectorActionConfig,
  type VectorStoreComponent,
} from "../../core/config/vectorStoreComponent.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { Embedder, Redact } from "../../core/ports.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { VectorStore } from "../../core/stores/VectorCollections.ts";
import { raiseNeeds } from "../http/raiseInterrupts.ts";
import { type CallEffect, CitedOutput, type Tool, type ToolContext, type ToolOutput } from "../Tool.ts";
import { readDeletion, readInsertion, readSearch } from "./vectorArguments.ts";

export interface VectorToolOptions {
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
  /** Returns true if a strict JSON text is valid against a JSON Schema. */
  readonly matches: (strictJson: string, schema: JsonObject) => boolean;
  /** Redacts stored texts. */
  readonly redact: Redact;
}

export function createVectorTools(component: VectorStoreComponent, options: VectorToolOptions): readonly Tool[] {
  return component.actions.map((action) => ({
    spec: {
      name: action.tool,
      description: action.description ?? `${component.description} ${SAYS[action.id]}`,
      parameters: buildVectorParameters(action),
    },
    // Repeating the call leaves the collection in the same state.
    idempotent: action.idempotent ?? true,
    // The collection may have changed since an equal call.
    repeatable: action.repeatable ?? action.id === "search",
    async: action.async,
    approval: action.approval,
    asks: action.interrupts !== undefined,
    untrusted: component.untrusted,
    redact: options.redact,
    readsOnly: action.id === "search",
    effect: (args) => collectionEffect(component, action, options.redact(JSON.stringify(args))),
    execute: (args, context) => execute(args, context, { component, action, options }),
  }));
}

function collectionEffect(
  { collection, model }: VectorStoreComponent,
  { id: action }: VectorActionConfig,
  args: string,
): CallEffect {
  return {
    question: `be called with these arguments?\ncollection: ${collection}`,
    deed: { collection, model, action, arguments: args },
  };
}

const SAYS: Readonly<Record<VectorAction, string>> = {
  insert: "Keeps a text here, to be found by its meaning later.",
  search: "Finds the texts here that are nearest in meaning to a query.",
  delete: "Deletes texts here: one by its id, those that a filter names, or all.",
};

interface Doing {
  readonly component: VectorStoreComponent;
  readonly action: VectorActionConfig;
  readonly options: VectorToolOptions;
}

async function execute(args: JsonObject, context: ToolContext, doing: Doing): Promise<ToolOutput> {
  const collection = { owner: context.owner, id: doing.component.collection };
  const { output, sources } = await WORK[doing.action.id](args, { collection, context, ...doing });
  raiseNeeds(output, doing.action, doing.options.matches);
  return sources ? new CitedOutput(output, sources) : output;
}

interface Work extends Doing {
  readonly collection: OwnerKey;
  readonly context: ToolContext;
}

interface Done {
  readonly output: JsonValue;
  readonly sources?: JsonValue | undefined;
}

const WORK: Readonly<Record<VectorAction, (args: JsonObject, work: Work) => Promise<Done>>> = {
  insert,
  search,
  delete: remove,
};

async function insert(args: JsonObject, work: Work): Promise<Done> {
  const { collection, component, options } = work;
  refuseUnlessMayChange(work, "inserted");
  const { texts, id, ...said } = readInsertion(args, component.chunk);
  const all = texts.flat();
  const { model, vectors } = await embed(all, work);
  let at = 0;
  const entries = texts.map(
    (parts): VectorEntry => ({
      ...said,
      id: id ?? computeId(parts.join("\n")),
      parts: parts.map((text) => ({ text, vector: vectors[at++] ?? NO_VECTOR })),
    }),
  );
  // Duplicate texts are stored once.
  const unique = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  await options.vectors.put(collection, { entries: unique, model, limit: component.most });
  return { output: { inserted: unique.map((entry) => entry.id) } };
}

async function search(args: JsonObject, work: Work): Promise<Done> {
  const { query, top, filter } = readSearch(args);
  const { model, vectors } = await embed([query], work);
  const [vector = NO_VECTOR] = vectors;
  const found = await work.options.vectors.nearest(work.collection, { vector, model, most: top, filter });
  const results = found.map(
    ({ id, text, title, url, metadata, score }): JsonObject => ({
      ...{ id, text, score: Number(score.toFixed(4)) },
      ...(title !== undefined && { title }),
      ...(url !== undefined && { url }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    }),
  );
  return { output: { results }, sources: found.map(({ id, title = null, url = null }) => ({ id, title, url })) };
}

async function remove(args: JsonObject, work: Work): Promise<Done> {
  refuseUnlessMayChange(work, "deleted");
  return { output: { deleted: await work.options.vectors.delete(work.collection, readDeletion(args)) } };
}

/** An injected text must neither be saved nor delete saved data, unless the collection is untrusted anyway. */
function refuseUnlessMayChange({ component, context }: Work, what: string): void {
  if (context.maySave || (component.untrusted && context.isKept)) return;
  throw new Error(`Nothing can be ${what} in this run: it is not kept, or it has read texts from outside.`);
}

/** Never used: the embedder returns one vector per text. */
const NO_VECTOR = new Float32Array();

/** @throws PostelError of the embedder; `invalid_configuration` for vectors of another dimension than configured. */
async function embed(texts: readonly string[], { component, context, options }: Work) {
  const { model, dimension } = component;
  const purpose = { kind: "tool", run: context.run } as const;
  const embedding = await options.embedder.embed({ model, texts, purpose }, context.signal);
  const length = embedding.vectors[0]?.length;
  if (dimension === undefined || length === dimension) return embedding;
  const message = `The model \`${embedding.model}\` gives ${length} numbers a text, and \`dimension\` of the component \`${component.id}\` says ${dimension}. Name another model, or leave \`dimension\` out.`;
  throw new PostelError(createFailure("invalid_configuration", message));
}

/** The same text is the same entry. */
function computeId(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 24);
}
