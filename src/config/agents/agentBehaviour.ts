// Schema of an agent's behaviour: its inputs and output, and the steps before and after its turns.
import type { z } from "zod";
import type { AgentBehaviourConfig } from "../../core/config/configuration.ts";
import { isObject } from "../../core/messages.ts";
import { enumField, flag } from "../fields.ts";
import { createJsonSchemaField } from "../jsonSchema.ts";

/** Keys of an agent that an action can override. */
export const courseFields = {
  inputs: objectSchema("inputs").optional(),
  output: createJsonSchemaField("a JSON Schema").optional(),
  plan: flag().optional(),
  reflect: flag().optional(),
  first_tool: enumField(["required"]).optional(),
  non_interactive: flag().optional(),
};

type Written = { readonly [key in keyof typeof courseFields]?: z.output<(typeof courseFields)[key]> };

/** Absent keys stay absent, so that present ones override. */
export function toCourse({
  inputs,
  output,
  plan,
  reflect,
  first_tool,
  non_interactive,
}: Written): AgentBehaviourConfig {
  return {
    ...(inputs && { inputs }),
    ...(output && { output }),
    ...(plan !== undefined && { plan }),
    ...(reflect !== undefined && { reflect }),
    ...(first_tool && { firstTool: first_tool }),
    ...(non_interactive !== undefined && { nonInteractive: non_interactive }),
  };
}

/** A mapping of names to types, as `params:` of a component are written, would be a schema that allows anything. */
function objectSchema(key: string) {
  const error = `expected a JSON Schema of an object: \`${key}: {type: object, properties: {NAME: {type: string}}, required: [NAME]}\``;
  return createJsonSchemaField("a JSON Schema of an object").refine(
    ({ type, properties }) => type === "object" || isObject(properties),
    { error },
  );
}
