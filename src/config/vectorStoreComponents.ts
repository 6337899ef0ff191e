// Components of the type `vector-store`: collections of texts that owners keep. Asks no model and opens no store.
import { z } from "zod";
import {
  VECTOR_ACTIONS,
  type VectorActionConfig,
  type VectorStoreComponent,
  vectorParameters,
} from "../core/vectorStoreComponent.ts";
import { actionFields, type Fail, toolNameOf } from "./actionFields.ts";
import { flag, identifier, listOf, oneOf, someText, whole } from "./fields.ts";
import { packageFault } from "./packageFault.ts";

const { untrusted: _, danger: __, ...ownFields } = actionFields;

const actionSchema = z.strictObject({
  id: oneOf(VECTOR_ACTIONS),
  description: someText("a description for the model").optional(),
  ...ownFields,
});

type WrittenAction = z.output<typeof actionSchema>;

const ALL: readonly WrittenAction[] = VECTOR_ACTIONS.map((id) => ({ id }));

export function vectorStoreSchema() {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("vector-store"),
      description: someText("a description for the model").optional(),
      embeddings: z.strictObject(
        { model: someText("a model name") },
        { error: "expected `model:`, the name of a model that has embeddings" },
      ),
      collection: identifier().optional(),
      dimension: whole("numbers of a vector", 1, 16_384).optional(),
      most: whole("texts and parts of texts of one owner", 1, 100_000).default(10_000),
      chunk: whole("characters", 200, 32_000).optional(),
      untrusted: flag().default(false),
      actions: listOf(actionSchema, "actions").min(1, { error: "expected at least one action" }).optional(),
    })
    .transform(({ embeddings, actions = ALL, ...written }, context) => {
      const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
      const missing = packageFault("vector-store", ["sqlite-vec"]);
      if (missing !== undefined) fail(["type"], missing);
      const { type, id, description = `Texts that are kept in ${id}.`, collection = id, ...rest } = written;
      const store: VectorStoreComponent = {
        ...{ type, id, description, collection, ...rest },
        model: embeddings.model,
        actions: actions.map((action, at) =>
          actionOf(action, toolNameOf(id, action.id, actions), (path, message) =>
            fail(["actions", at, ...path], message),
          ),
        ),
      };
      return { type, store };
    });
}

function actionOf({ params = {}, ...rest }: WrittenAction, tool: string, fail: Fail): VectorActionConfig {
  const names = Object.keys(vectorParameters({ id: rest.id, params: {} }).properties);
  for (const name of Object.keys(params))
    if (!names.includes(name)) fail(["params", name], `expected a parameter of ${rest.id}: ${names.join(", ")}`);
  return { ...rest, tool, params };
}
