// Builds the HTTP request of an operation's call. No value of a call can escape its position; sends nothing.
import type { Credentials } from "../../core/config/Credentials.ts";
import {
  BODY_ARGUMENT,
  collectOperationTemplates,
  type InputPlace,
  type OpenApiComponent,
  type OperationConfig,
  type OperationCredential,
  type OperationInput,
} from "../../core/config/openApiComponent.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { EgressRequest } from "../../core/ports.ts";
import { fillTemplate, stringifyValue } from "../../core/template/fillTemplate.ts";
import { buildServiceRequest, encodeComponent, fillHeaders, type TemplateContext } from "../http/buildRequest.ts";
import { checkSegments } from "../http/fillPath.ts";
import { serializeField } from "./serializeParameter.ts";
import type { WriteXml } from "./writeXml.ts";

export interface OperationCall {
  readonly component: Pick<OpenApiComponent, "baseUrl" | "headers">;
  readonly action: OperationConfig;
  readonly args: JsonObject;
  readonly context: TemplateContext;
  readonly credentials: Credentials;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
  /** Writes XML bodies; absent if the component has none. */
  readonly writeXml?: WriteXml | undefined;
}

const ACCEPT = "application/json, text/*;q=0.9, */*;q=0.5";

/**
 * @throws Error with a message for the model, before anything is sent: for a value that is missing or invalid at its
 * position.
 */
export function buildOperationRequest({
  component,
  action,
  args,
  context,
  credentials,
  headersMs,
  writeXml,
}: OperationCall): EgressRequest {
  const owner = credentials.scopeFor(context.owner, collectOperationTemplates(component, action));
  const scope: JsonObject = { context: context.context ?? {}, owner };
  const keys = (place: OperationCredential["in"]): readonly (readonly [string, string])[] =>
    action.credentials
      .filter((one) => one.in === place)
      .map(({ name, value }) => [
        place === "header" ? name.toLowerCase() : name,
        stringifyValue(fillTemplate(value, scope)),
      ]);
  const queryKeys = keys("query").map(([name, value]) => `${encodeComponent(name)}=${encodeComponent(value)}`);
  const query = [...buildQuery(action, args), ...queryKeys].join("&");
  const cookies = [...written(action, "cookie", args), ...keys("cookie").map((one) => one.join("="))].join("; ");
  return buildServiceRequest({
    ...{ baseUrl: component.baseUrl, action, context, headersMs },
    place: `${buildPath(action, args)}${query && "?"}${query}`,
    headers: {
      accept: ACCEPT,
      ...buildHeaders(action, args),
      ...fillHeaders(component.headers, scope),
      ...Object.fromEntries(keys("header")),
      ...(cookies && { cookie: cookies }),
    },
    content: buildContent(action, args, writeXml),
  });
}

function getArgument({ argument }: { readonly argument: string }, args: JsonObject): JsonValue | undefined {
  return Object.hasOwn(args, argument) ? args[argument] : undefined;
}

function buildPath({ path, inputs }: OperationConfig, args: JsonObject): string {
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const input = inputs.find((one) => one.in === "path" && one.name === name);
    const value = (input && getArgument(input, args)) ?? "";
    const text = input && serializeField(input, checkedSegment(name, value), encodeComponent);
    if (value === "" || text === undefined) throw new Error(`${name} must not be empty: it is a part of the path.`);
    return text;
  });
  checkSegments(filled);
  return filled;
}

/** Some servers decode an encoded slash, so a value could step up in the path. */
function checkedSegment(name: string, value: JsonValue): JsonValue {
  if (/(^|[/\\])\.{1,2}([/\\]|$)/.test(stringifyValue(value)))
    throw new Error(`${name} must not hold \`.\` or \`..\` as a part of a path.`);
  return value;
}

/** The inputs of a location that have a value, serialized. */
function written(
  action: OperationConfig,
  place: InputPlace,
  args: JsonObject,
  encode = encodeComponent,
): readonly string[] {
  return action.inputs.flatMap((input) => (input.in === place ? (textOfInput(input, args, encode) ?? []) : []));
}

function textOfInput(input: OperationInput, args: JsonObject, encode: (text: string) => string): string | undefined {
  const value = getArgument(input, args);
  return value === undefined ? undefined : serializeField(input, value, encode);
}

function buildQuery(action: OperationConfig, args: JsonObject): readonly string[] {
  checkKeys(action, args);
  return action.inputs.flatMap((input) => {
    if (input.in !== "query") return [];
    return textOfInput(input, args, input.allowReserved ? reservedToo : encodeComponent) ?? [];
  });
}

/** The keys of an object that is written out are names in the query: none may be another's, such as a credential's. */
function checkKeys({ inputs, credentials }: OperationConfig, args: JsonObject): void {
  const taken = new Set([...inputs, ...credentials].filter((one) => one.in === "query").map(({ name }) => name));
  for (const input of inputs) {
    const value =
      input.in === "query" && input.style === "form" && input.explode ? getArgument(input, args) : undefined;
    const key = isObject(value) ? Object.keys(value).find((one) => taken.has(one)) : undefined;
    if (key !== undefined)
      throw new Error(`${input.argument} must not have the key ${key}: the operation has a parameter of that name.`);
  }
}

/** Reserved characters without a meaning in a query stay as they are; `#`, `&`, `+` and brackets are escaped. */
function reservedToo(text: string): string {
  return encodeComponent(text).replaceAll(/%(?:3A|2F|3F|40|24|2C|3B)/g, decodeURIComponent);
}

function buildHeaders(action: OperationConfig, args: JsonObject): Record<string, string> {
  const asIs = (text: string): string => text;
  return Object.fromEntries(
    action.inputs.flatMap((input) => {
      const text = input.in === "header" ? textOfInput(input, args, asIs) : undefined;
      return text === undefined ? [] : [[input.name, text]];
    }),
  );
}

function buildContent(
  { content }: OperationConfig,
  args: JsonObject,
  writeXml?: WriteXml,
): { type: string; body: string } | undefined {
  if (content === undefined) return undefined;
  const { type, mediaType, fields } = content;
  const write = (value: JsonValue): string => {
    if (type === "text") return stringifyValue(value).toWellFormed();
    if (type !== "xml") return JSON.stringify(value);
    if (!writeXml) throw new Error("the gateway has not loaded its writer of XML.");
    return writeXml(value, content.shape);
  };
  if (fields === undefined) {
    const body = getArgument({ argument: BODY_ARGUMENT }, args);
    return body === undefined ? undefined : { type: mediaType, body: write(body) };
  }
  const given = fields.flatMap((field) => {
    const value = getArgument(field, args);
    return value === undefined ? [] : [{ field, value }];
  });
  if (given.length === 0 && !content.isRequired) return undefined;
  if (type !== "form")
    return { type: mediaType, body: write(Object.fromEntries(given.map(({ field, value }) => [field.name, value]))) };
  const pairs = given.flatMap(
    ({ field, value }) => serializeField(field, value, field.allowReserved ? reservedToo : encodeComponent) ?? [],
  );
  return { type: mediaType, body: pairs.join("&") };
}
