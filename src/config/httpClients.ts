// Components of the type `http-client`: a service with its actions, or with the keys of one. Checks where placeholders may stand; sends nothing.
import { z } from "zod";
import { type HttpActionConfig, templatesOf } from "../core/components.ts";
import { placeholdersIn } from "../core/fillTemplate.ts";
import { parseTemplate } from "../core/template.ts";
import { actionFields, checkBeside, checkParams, type Fail, ONLY_ACTION, toolNameOf } from "./actionFields.ts";
import { baseUrl, headerName, identifier, isOneLine, listOf, oneOf, someText, whole } from "./fields.ts";
import type { KnownNames } from "./KnownNames.ts";
import type { HttpService } from "./modelServices.ts";
import { jsonTemplate, type Roots, textTemplate } from "./templates.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const HOUR_MS = 3_600_000;

/** What a path may hold: no credential, for addresses are written down on their way. */
const PLACE: Roots = { roots: ["input", "context"], namesInputs: true };
const CALL: Roots = { roots: ["input", "context", "owner"], namesInputs: true };
const RESPONSE: Roots = { roots: ["response"] };

const parameters = z.record(
  z.string().regex(/^[^\p{Cc}]{1,128}$/u, { error: "expected a name in one line" }),
  jsonTemplate(CALL),
  {
    error: "expected names with values",
  },
);

/** What an action says of itself, wherever it is written. */
const httpFields = {
  ...actionFields,
  method: oneOf(METHODS).optional(),
  path: textTemplate(PLACE, "a path that begins with /").superRefine(checkPath).optional(),
  query: parameters.optional(),
  body: jsonTemplate(CALL).optional(),
  form: parameters.optional(),
  output: textTemplate(RESPONSE).optional(),
  sources: textTemplate(RESPONSE).optional(),
  redirects: whole("redirects", 0, 5).optional(),
  retries: whole("retries", 0, 5).optional(),
  timeout_ms: whole("milliseconds", 1, HOUR_MS).optional(),
};

const actionSchema = z.strictObject({
  id: identifier(),
  description: someText("a description for the model").optional(),
  headers: headerTemplates().default({}),
  ...httpFields,
});

type WrittenAction = z.output<typeof actionSchema>;

export function httpClientSchema({ upstreamWires }: Pick<KnownNames, "upstreamWires">) {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("http-client"),
      wire: oneOf([...upstreamWires]).optional(),
      description: someText("a description for the model").optional(),
      base_url: baseUrl(),
      headers: headerTemplates().default({}),
      actions: listOf(actionSchema, "actions").min(1, { error: "expected at least one action" }).optional(),
      ...httpFields,
    })
    .transform(({ type, id, wire, description, base_url, headers, actions, ...own }, context) => {
      const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
      if (actions) checkBeside(own, fail);
      const written = actions ?? [{ id: ONLY_ACTION, headers: {}, ...own }];
      const service: HttpService = {
        type,
        id,
        wire,
        isInline: actions === undefined,
        description: description ?? `The HTTP service ${id}.`,
        baseUrl: base_url,
        headers,
        actions: written.map((action) => actionOf(action, toolNameOf(id, action.id, written))),
      };
      written.forEach((action, at) => {
        checkAction(action, service, (path, message) => fail(actions ? ["actions", at, ...path] : path, message));
      });
      return { type, service };
    });
}

function actionOf(
  { method = "GET", path = "", params = {}, timeout_ms, ...rest }: WrittenAction,
  tool: string,
): HttpActionConfig {
  return { ...rest, tool, method, path, params, timeoutMs: timeout_ms };
}

function checkAction(action: WrittenAction, service: HttpService, fail: Fail): void {
  const { method = "GET", path, body, form, redirects = 0, retries = 0, idempotent } = action;
  const reads = method === "GET" || method === "HEAD";
  if (path === undefined) fail(["path"], "expected a path that begins with /");
  for (const [name, value] of Object.entries({ body, form }))
    if (value !== undefined && reads) fail([name], `expected no ${name}: a ${method} has none`);
  if (body !== undefined && form !== undefined) fail(["form"], "expected one of `body` and `form`");
  if (redirects > 0 && !reads) fail(["redirects"], `expected none: a ${method} is not sent on to another place`);
  if (retries > 0 && !(idempotent ?? reads))
    fail(["retries"], "expected none, or `idempotent: true` beside it: what is sent twice may be done twice");
  checkParams(action.params ?? {}, templatesOf(service, actionOf(action, "")), fail);
}

/** Header names (made lower case) with templates as values. */
function headerTemplates() {
  const oneLine = "expected a header value in one line without control characters; take them out";
  const value = textTemplate(CALL).refine(isOneLine, { error: oneLine });
  return z.record(headerName(), value, { error: "expected header names with values" }).transform((written, context) => {
    const headers = Object.fromEntries(Object.entries(written).map(([name, text]) => [name.toLowerCase(), text]));
    for (const [name, text] of Object.entries(headers)) {
      if (!OF_THE_CONNECTION.has(name) && !(name === "host" && placeholdersIn(text).length > 0)) continue;
      const message = `expected another header: \`${name}\` belongs to the connection`;
      context.addIssue({ code: "custom", path: [name], message });
    }
    return headers;
  });
}

/** What says how a message is sent, not what is asked (RFC 9110, 7.6.1), and its length. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["content-length", "expect"],
]);

function checkPath(path: string, context: z.RefinementCtx): void {
  const fail = (message: string): void => context.addIssue({ code: "custom", message });
  const literal = literalOf(path);
  if (!literal.startsWith("/") || literal.startsWith("//")) fail("expected a path that begins with one /");
  if (literal.includes("#") || literal.includes("\\")) fail("expected a path without # and \\");
  const [segments = "", query] = literal.split("?");
  if (segments.split("/").some((segment) => segment === ".." || segment === "."))
    fail("expected a path without . or ..");
  const keys = (query ?? "").split("&").map((pair) => pair.split("=")[0] ?? "");
  if (keys.some((key) => key.includes(MARK))) fail("expected placeholders in query values only, never in a query key");
}

/** Stands for a placeholder where only the text around it is looked at. */
const MARK = "\u0000";

function literalOf(template: string): string {
  const parsed = parseTemplate(template);
  if (parsed.type === "malformed") return template;
  return parsed.parts.map((part) => (part.type === "text" ? part.text : MARK)).join("");
}
