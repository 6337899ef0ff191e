// Builds the HTTP request of an action's call. No value of a call can escape its position; sends nothing.
import type { Credentials } from "../../core/config/Credentials.ts";
import { readsOnly, type ServiceAction } from "../../core/config/componentActions.ts";
import { collectTemplates, type HttpActionConfig, type HttpClientComponent } from "../../core/config/components.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { EgressRequest } from "../../core/ports.ts";
import { fillTemplate, stringifyValue } from "../../core/template/fillTemplate.ts";
import type { ToolContext } from "../Tool.ts";
import { fillPath } from "./fillPath.ts";

/** Parts of the call's context that a request can use. */
export type TemplateContext = Pick<ToolContext, "run" | "callId" | "callKey" | "owner" | "context">;

export interface HttpCall {
  readonly component: HttpClientComponent;
  readonly action: HttpActionConfig;
  readonly args: JsonObject;
  readonly context: TemplateContext;
  readonly credentials: Credentials;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
}

/**
 * @throws Error with a message for the model, before anything is sent: for a value that is missing or invalid at its
 * position.
 */
export function buildHttpRequest({
  component,
  action,
  args,
  context,
  credentials,
  headersMs,
}: HttpCall): EgressRequest {
  const owner = credentials.scopeFor(context.owner, collectTemplates(component, action));
  const scope: JsonObject = { input: args, context: context.context ?? {}, owner };
  return buildServiceRequest({
    ...{ baseUrl: component.baseUrl, action, context, headersMs },
    place: withQuery(fillPath(action.path, scope), pairs(action.query, scope)),
    headers: { accept: "application/json", ...fillHeaders({ ...component.headers, ...action.headers }, scope) },
    content: buildContent(action, scope),
  });
}

export interface ServiceRequest {
  readonly baseUrl: string;
  readonly action: Pick<ServiceAction, "method" | "idempotent" | "retries">;
  /** Path and query below the base URL: whatever came of a model is encoded. */
  readonly place: string;
  /** Names in lower case; values that were not looked at yet. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content?: { readonly type: string; readonly body: string } | undefined;
  readonly context: Pick<ToolContext, "run" | "callKey">;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
}

/**
 * Builds the request of a service call. @throws Error with a message for the model, for a value that would escape its
 * position.
 */
export function buildServiceRequest({
  baseUrl,
  action,
  place,
  headers,
  content,
  context,
  headersMs,
}: ServiceRequest): EgressRequest {
  const base = new URL(baseUrl);
  const url = new URL(`${baseUrl}${place}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname.replace(/\/$/, "")))
    throw new Error("these values would leave the service's address.");
  checkHeaders(headers);
  return {
    method: action.method,
    url: url.href,
    headers: {
      ...(content && { "content-type": content.type }),
      ...headers,
      // The same key for every execution of the call, so that the service does not repeat its effect.
      ...(action.idempotent && { "idempotency-key": `${context.run}-${context.callKey}` }),
    },
    body: content?.body,
    purpose: {
      kind: "tool",
      key: base.origin,
      run: context.run,
      repeatable: isRepeatable(action),
      ...(action.retries !== undefined && { attempts: action.retries + 1 }),
      timers: { headersMs },
    },
  };
}

/**
 * A request that does more than read may have had its effect although the answer was lost, unless the service supports an
 * idempotency key.
 */
export function isRepeatable({ method, idempotent }: Pick<ServiceAction, "method" | "idempotent">): boolean {
  return idempotent ?? readsOnly(method);
}

function buildContent({ body, form }: HttpActionConfig, scope: JsonObject) {
  if (form !== undefined) return { type: "application/x-www-form-urlencoded", body: pairs(form, scope) };
  if (body === undefined) return undefined;
  return { type: "application/json", body: JSON.stringify(fillTemplate(body, scope)) };
}

/** `a=1&b=2`, each name and value encoded: null is left out, and a list is one pair for each of its values. */
function pairs(templates: Readonly<Record<string, JsonValue>> = {}, scope: JsonObject): string {
  return Object.entries(templates)
    .flatMap(([name, template]) => {
      const value = fillTemplate(template, scope);
      const values = Array.isArray(value) ? value : [value];
      return values.flatMap((one) =>
        one === null ? [] : [`${encodeComponent(name)}=${encodeComponent(stringifyValue(one))}`],
      );
    })
    .join("&");
}

/** One segment, or one name or value of a query. */
export function encodeComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function withQuery(url: string, query: string): string {
  return query === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`;
}

/** Characters that a header can contain (RFC 9110, 5.5): no line breaks, and only characters of one byte. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function fillHeaders(templates: Readonly<Record<string, string>>, scope: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(templates).map(([name, template]) => [name, stringifyValue(fillTemplate(template, scope))]),
  );
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers))
    if (!HEADER_VALUE.test(value))
      throw new Error(`the value for the header ${name} has line breaks or characters that no header can hold.`);
}
