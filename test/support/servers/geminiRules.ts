// What the Gemini API refuses in a request, in its own words: names, roles, counts, signatures, schemas. Sends nothing.
import { isObject, type JsonObject, type JsonValue } from "../../../src/core/messages.ts";

export interface AskedOfGemini {
  readonly model: string;
  readonly streamed: boolean;
  readonly body: JsonObject;
}

type Fields = { readonly [name: string]: Fields | "any" };

const CONTENT: Fields = {
  role: "any",
  parts: {
    text: "any",
    thought: "any",
    thoughtSignature: "any",
    inlineData: { mimeType: "any", data: "any" },
    fileData: { mimeType: "any", fileUri: "any" },
    functionCall: { id: "any", name: "any", args: "any" },
    functionResponse: { id: "any", name: "any", response: "any", parts: { inlineData: "any", fileData: "any" } },
    executableCode: "any",
    codeExecutionResult: "any",
  },
};
const OPENAPI: Fields = Object.fromEntries(
  [
    ...["type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required"],
    ...["minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering"],
    ...["default", "items", "minimum", "maximum"],
  ].map((name) => [name, "any"]),
);
const REQUEST: Fields = {
  contents: CONTENT,
  systemInstruction: CONTENT,
  tools: {
    functionDeclarations: { name: "any", description: "any", parameters: OPENAPI, parametersJsonSchema: "any" },
  },
  toolConfig: { functionCallingConfig: { mode: "any", allowedFunctionNames: "any" } },
  safetySettings: { category: "any", threshold: "any" },
  cachedContent: "any",
  generationConfig: {
    ...Object.fromEntries(
      [
        ...["temperature", "topP", "topK", "maxOutputTokens", "stopSequences", "seed", "presencePenalty"],
        ...["frequencyPenalty", "candidateCount", "responseLogprobs", "logprobs", "responseMimeType"],
        ...["responseSchema", "responseJsonSchema", "responseModalities"],
      ].map((name) => [name, "any"] as const),
    ),
    thinkingConfig: { includeThoughts: "any", thinkingBudget: "any", thinkingLevel: "any" },
  },
};

/** The message of the 400 that the request gets; undefined for one that is answered. `issued` are the signatures that the server has given. */
export function refusalOf(asked: AskedOfGemini, issued: ReadonlySet<string>): string | undefined {
  const { body } = asked;
  return (
    unknownName(body, REQUEST, "") ??
    contentFault(objects(body.contents)) ??
    callFault(objects(body.contents)) ??
    (generation(asked.model) >= 3 ? signatureFault(objects(body.contents), issued) : undefined) ??
    functionFault(body) ??
    configFault(asked)
  );
}

export function generation(model: string): number {
  return Number(/gemini-(\d+(\.\d+)?)/.exec(model)?.[1] ?? 99);
}

function unknownName(value: JsonValue | undefined, fields: Fields, at: string): string | undefined {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      const found = unknownName(one, fields, `${at}[${index}]`);
      if (found) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const known = fields[name];
    const place = at === "" ? "" : ` at '${at}'`;
    if (known === undefined) return `Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`;
    const found = known === "any" ? undefined : unknownName(member, known, at === "" ? name : `${at}.${name}`);
    if (found) return found;
  }
  return undefined;
}

function contentFault(contents: readonly JsonObject[]): string | undefined {
  if (contents.length === 0) return "* GenerateContentRequest.contents: contents is not specified";
  for (const [index, { role, parts }] of contents.entries()) {
    const at = `* GenerateContentRequest.contents[${index}]`;
    if (role !== "user" && role !== "model") return "Please use a valid role: user, model.";
    if (objects(parts).length === 0) return `${at}.parts: contents.parts must not be empty.`;
    for (const [place, part] of objects(parts).entries()) {
      const data = ["text", "inlineData", "fileData", "functionCall", "functionResponse"].filter(
        (name) => name in part,
      );
      const isEmpty = part.text === "" && part.thoughtSignature === undefined;
      if (data.length !== 1 || isEmpty)
        return `${at}.parts[${place}].data: required oneof field 'data' must have one initialized field`;
    }
  }
  return undefined;
}

const COUNT =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

function callFault(contents: readonly JsonObject[]): string | undefined {
  if (contents[0]?.role === "model" && partsWith("functionCall", contents[0]).length > 0)
    return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  for (const [index, content] of contents.entries()) {
    const calls = partsWith("functionCall", content);
    const next = contents[index + 1];
    const results = next ? partsWith("functionResponse", next) : [];
    if (content.role === "model" && next && calls.length !== results.length) return COUNT;
    if (content.role === "user" && index === 0 && partsWith("functionResponse", content).length > 0)
      return "Please ensure that function response turn comes immediately after a function call turn.";
    for (const [place, result] of results.entries()) {
      const call = calls[place];
      if (call?.name !== result.name || call?.id !== result.id) return COUNT;
      if (!isObject(result.response)) return "Invalid value at 'function_response.response' (Struct)";
    }
  }
  return undefined;
}

/** Every step of the turn that is going on: what the model called since the user last said something. */
function signatureFault(contents: readonly JsonObject[], issued: ReadonlySet<string>): string | undefined {
  const start = contents.findLastIndex(
    (content) => content.role === "user" && partsWith("functionResponse", content).length === 0,
  );
  for (const [index, content] of contents.entries()) {
    const first = objects(content.parts).find((part) => part.functionCall !== undefined);
    if (!first || content.role !== "model") continue;
    const { thoughtSignature: signature } = first;
    if (signature === undefined && index > start) {
      const name = `default_api:${String((first.functionCall as JsonObject).name)}`;
      return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`${name}\`, position ${index + 1}.`;
    }
    if (signature !== undefined && signature !== "skip_thought_signature_validator" && !issued.has(String(signature)))
      return "Corrupted thought signature.";
  }
  return undefined;
}

function functionFault(body: JsonObject): string | undefined {
  const declared = objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations));
  for (const [index, { name, parametersJsonSchema: schema }] of declared.entries()) {
    const at = `tools[0].function_declarations[${index}]`;
    if (!/^[A-Za-z_][\w.-]{0,63}$/.test(String(name)))
      return `The GenerateContentRequest proto is invalid:\n  * ${at}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.) or dashes (-), with a maximum length of 64.`;
    const fault = schema === undefined ? undefined : schemaFault(schema, schema);
    if (fault) return `* GenerateContentRequest.${at}.parameters_json_schema: ${fault}`;
  }
  const config = (body.toolConfig as JsonObject | undefined)?.functionCallingConfig as JsonObject | undefined;
  const allowed = (config?.allowedFunctionNames ?? []) as readonly string[];
  if (allowed.length > 0 && config?.mode !== "ANY" && config?.mode !== "VALIDATED")
    return "Function calling config: allowed_function_names may only be set when the mode is ANY.";
  const stranger = allowed.find((name) => !declared.some((one) => one.name === name));
  return stranger === undefined ? undefined : `allowed_function_names: \`${stranger}\` is not a declared function.`;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...["$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"],
  ...["minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"],
  ...["propertyOrdering", "default"],
]);

function schemaFault(schema: JsonValue, root: JsonValue): string | undefined {
  if (!isObject(schema)) return "a schema must be an object";
  const unknown = Object.keys(schema).find((name) => !KEYWORDS.has(name));
  if (unknown) return `unsupported keyword "${unknown}"`;
  if (typeof schema.$ref === "string") {
    if (Object.keys(schema).some((name) => !name.startsWith("$"))) return "no other field may be set beside ref";
    const [, name = ""] = /^#\/\$defs\/(.+)$/.exec(schema.$ref) ?? [];
    const known = ((root as JsonObject).$defs as JsonObject | undefined)?.[name];
    if (known === undefined) return `reference to undefined schema at ${schema.$ref}`;
  }
  const inner = [
    ...[schema.items, schema.additionalProperties].filter(isObject),
    ...[schema.anyOf, schema.oneOf, schema.prefixItems].flatMap((list) => (Array.isArray(list) ? list : [])),
    ...[schema.properties, schema.$defs].flatMap((map) => (isObject(map) ? Object.values(map) : [])),
  ] as readonly JsonValue[];
  for (const one of inner) {
    const fault = schemaFault(one, root);
    if (fault) return fault;
  }
  return undefined;
}

function configFault({ model, body }: AskedOfGemini): string | undefined {
  const config = (body.generationConfig ?? {}) as JsonObject;
  const thinking = config.thinkingConfig as JsonObject | undefined;
  const version = generation(model);
  const hasTools = objects(body.tools).length > 0;
  if (config.responseMimeType === "application/json" && hasTools && version < 3)
    return "Function calling with a response mime type: 'application/json' is unsupported";
  if (config.responseJsonSchema !== undefined) {
    if (config.responseMimeType !== "application/json") return "responseJsonSchema requires a JSON mime type";
    const fault = schemaFault(config.responseJsonSchema, config.responseJsonSchema);
    if (fault) return `* GenerateContentRequest.generation_config.response_json_schema: ${fault}`;
  }
  if (((config.stopSequences ?? []) as readonly string[]).length > 5)
    return "The number of stop sequences must be at most 5.";
  if (thinking && version < 2.5) return "Thinking is not enabled for this model.";
  if (thinking?.thinkingLevel !== undefined && version < 3) return "Thinking level is not supported for this model.";
  if (thinking?.thinkingLevel !== undefined && thinking.thinkingBudget !== undefined)
    return "You can only set only one of thinking budget and thinking level.";
  const levels = /gemini-3-pro/.test(model) ? ["LOW", "HIGH"] : ["MINIMAL", "LOW", "MEDIUM", "HIGH"];
  if (thinking?.thinkingLevel !== undefined && !levels.includes(String(thinking.thinkingLevel)))
    return `Thinking level ${String(thinking.thinkingLevel)} is not supported for this model. Please retry with other thinking level.`;
  // So do other models of 2.5; one that takes all there is stands for those before.
  if (config.presencePenalty !== undefined && model === "gemini-2.5-pro")
    return `Penalty is not enabled for models/${model}`;
  if (thinking?.thinkingBudget === 0 && /-pro/.test(model))
    return "Budget 0 is invalid. This model only works in thinking mode.";
  return undefined;
}

function partsWith(name: "functionCall" | "functionResponse", { parts }: JsonObject): readonly JsonObject[] {
  return objects(parts).flatMap((part) => (isObject(part[name]) ? [part[name]] : []));
}

function objects(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : isObject(list) ? [list] : [];
}
