// How an agent goes about its work, as the files write it: what it takes and gives, what comes before and after. Decides nothing about a run.
import type { z } from "zod";
import type { AgentBehaviourConfig } from "../../core/config/configuration.ts";
import { isObject } from "../../core/messages.ts";
import { enumField, flag } from "../fields.ts";
import { createJsonSchemaField } from "../jsonSchema.ts";

/** The keys that an agent has, and an action in the place of its agent's. */
export const courseFields = {
  inputs: objectSchema("inputs").optional(),
  output: createJsonSchemaField("a JSON Schema").optional(),
  plan: flag().optional(),
  reflect: flag().optional(),
  first_tool: enumField(["required"]).optional(),
  non_interactive: flag().optional(),
};

type Written = { readonly [key in keyof typeof courseFields]?: z.output<(typeof courseFields)[key]> };

/** What is not said is not there, so that what is said overrides. */
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
