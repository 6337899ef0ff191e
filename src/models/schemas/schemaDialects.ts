// Data: JSON Schema keywords that strict servers accept, each with its source.

/** In each dialect the root is an object and no union, and arrays have an item schema. The members say what else it takes. */
export interface SchemaDialect {
  /** Server that refuses, and the text of its refusal. */
  readonly source: string;
  /** The keywords that are known; absent: all. */
  readonly keywords?: ReadonlySet<string> | undefined;
  /** Keywords that may stand at the root; absent: as elsewhere. */
  readonly rootKeywords?: ReadonlySet<string> | undefined;
  /** The values of `format` that are known; absent: all. */
  readonly formats?: ReadonlySet<string> | undefined;
  /** `inlined`: the target of a reference replaces it. */
  readonly references: "kept" | "inlined";
  /**
   * `simple`: each schema has one type and the keywords of that type; a union is an `anyOf` without further keywords, `allOf` is one schema,
   * `const` an `enum`, a tuple a list of any of its items.
   */
  readonly shape: "free" | "simple";
  /** Spelling of a nullable value if shapes are simple. */
  readonly nulls: "branch" | "nullable";
  /** Types of values that an `enum` may contain. */
  readonly enums: "any" | "texts";
}

const SIMPLE = [
  ...["type", "format", "title", "description", "enum", "properties", "required", "items", "anyOf", "default"],
  ...["minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern"],
];

/** By the id of the quirk. */
export const SCHEMA_DIALECTS: ReadonlyMap<string, SchemaDialect> = new Map<string, SchemaDialect>([
  [
    "schema-object",
    {
      source:
        "OpenAI: 400 \"Invalid schema for function …: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.\" (https://github.com/langchain-ai/langchainjs/issues/9804), \"array schema missing items.\" (https://github.com/PrefectHQ/fastmcp/issues/2464); Anthropic: 400 \"input_schema does not support oneOf, allOf, or anyOf at the top level\" (https://github.com/anthropics/claude-code/issues/40075).",
      references: "kept",
      shape: "free",
      nulls: "branch",
      enums: "any",
    },
  ],
  [
    "schema-gemini",
    {
      source:
        'Google: 400 "Invalid JSON payload received. Unknown name \\"const\\" at \'tools[0].function_declarations[5].parameters…\': Cannot find field." (https://github.com/zed-industries/zed/issues/44875), "items: field predicate failed: $type == Type.ARRAY" (https://github.com/anomalyco/opencode/pull/49392), "enum only allowed for STRING type" (https://github.com/decolua/9router/pull/380); the fields of its Schema: https://cloud.google.com/vertex-ai/docs/reference/rest/v1/Schema.',
      keywords: new Set([...SIMPLE, "nullable", "minProperties", "maxProperties", "propertyOrdering", "example"]),
      formats: new Set(["date-time", "float", "double", "int32", "int64"]),
      references: "inlined",
      shape: "simple",
      nulls: "nullable",
      enums: "texts",
    },
  ],
  [
    "schema-moonshot",
    {
      source:
        'Moonshot: 400 "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path \'root\': when using anyOf, type should be defined in anyOf items instead of the parent schema>" (https://github.com/MoonshotAI/kimi-code/issues/2661), "type is not defined" and "Conflict in schema definitions for key \'if\'" (https://github.com/earendil-works/pi/issues/5822).',
      keywords: new Set([...SIMPLE, "additionalProperties"]),
      references: "inlined",
      shape: "simple",
      nulls: "branch",
      enums: "any",
    },
  ],
  [
    "schema-nova",
    {
      source:
        "Amazon Nova takes `type`, `properties` and `required` at the top level and nothing else (https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html, https://github.com/pydantic/pydantic-ai/issues/1623).",
      rootKeywords: new Set(["type", "properties", "required"]),
      references: "inlined",
      shape: "free",
      nulls: "branch",
      enums: "any",
    },
  ],
]);
