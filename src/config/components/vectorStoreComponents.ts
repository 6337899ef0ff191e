// Components of type `vector-store`: text collections of owners. Calls no model and opens no store.
import { z } from "zod";
import {
  buildVectorParameters,
  VECTOR_ACTIONS,
  type VectorActionConfig,
  type VectorStoreComponent,
} from "../../core/config/vectorStoreComponent.ts";
import { enumField, flag, identifier, integerField, listField, nonEmptyText } from "../fields.ts";
import { validatePackage } from "../load/optionalPackages.ts";
import { actionFields, buildToolName, type Fail } from "./actionFields.ts";

const { untrusted: _, danger: __, ...ownFields } = actionFields;

const actionSchema = z.strictObject({
  id: enumField(VECTOR_ACTIONS),
  description: nonEmptyText("a description for the model").optional(),
  ...ownFields,
});

type WrittenAction = z.output<typeof actionSchema>;

const ALL: readonly WrittenAction[] = VECTOR_ACTIONS.map((id) => ({ id }));

export function createVectorStoreSchema() {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("vector-store"),
      description: nonEmptyText("a description for the model").optional(),
      embeddings: z.strictObject(
        { model: nonEmptyText("a model name") },
        { error: "expected `model:`, the name of a model that has embeddings" },
      ),
      collection: identifier().optional(),
      dimension: integerField("numbers of a vector", 1, 16_384).optional(),
      most: integerField("texts and parts of texts of one owner", 1, 100_000).default(10_000),
      chunk: integerField("characters", 200, 32_000).optional(),
      untrusted: flag().default(false),
      actions: listField(actionSchema, "actions").min(1, { error: "expected at least one action" }).optional(),
    })
    .transform(({ embeddings, actions = ALL, ...raw }, context) => {
      const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
      const missing = validatePackage("vector-store", ["sqlite-vec"]);
      if (missing !== undefined) fail(["type"], missing);
      const { type, id, description = `Texts that are kept in ${id}.`, collection = id, ...rest } = raw;
      const store: VectorStoreComponent = {
        ...{ type, id, description, collection, ...rest },
        model: embeddings.model,
        actions: actions.map((action, at) =>
          toAction(action, buildToolName(id, action.id, actions), (path, message) =>
            fail(["actions", at, ...path], message),
          ),
        ),
      };
      return { type, store };
    });
}

function toAction({ params = {}, ...rest }: WrittenAction, tool: string, fail: Fail): VectorActionConfig {
  const names = Object.keys(buildVectorParameters({ id: rest.id, params: {} }).properties);
  for (const name of Object.keys(params))
    if (!names.includes(name)) fail(["params", name], `expected a parameter of ${rest.id}: ${names.join(", ")}`);
  return { ...rest, tool, params };
}
