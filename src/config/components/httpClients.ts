// Components of type `http-client`: a service with its actions, or with the keys of one. Checks the positions of
// placeholders; sends nothing.
import { z } from "zod";
import { readsOnly } from "../../core/config/componentActions.ts";
import { collectTemplates, type HttpActionConfig } from "../../core/config/components.ts";
import { parseTemplate } from "../../core/template/parseTemplate.ts";
import { baseUrl, enumField, identifier, listField, nonEmptyText } from "../fields.ts";
import type { KnownNames } from "../load/KnownNames.ts";
import type { HttpService } from "../models/httpModel.ts";
import { createJsonTemplateField, createTextTemplateField, type Roots } from "../templates.ts";
import { buildToolName, checkParams, checkSiblingFields, type Fail, ONLY_ACTION } from "./actionFields.ts";
import { checkCourse, createHeaderTemplatesField, serviceFields } from "./serviceFields.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Roots that a path may use: no credentials, because URLs are logged. */
const PLACE: Roots = { roots: ["input", "context"], namesInputs: true };
const CALL: Roots = { roots: ["input", "context", "owner"], namesInputs: true };

const parameters = z.record(
  z.string().regex(/^[^\p{Cc}]{1,128}$/u, { error: "expected a name in one line" }),
  createJsonTemplateField(CALL),
  {
    error: "expected names with values",
  },
);

/** Fields of an action, either in the list or in the component itself. */
const httpFields = {
  ...serviceFields,
  method: enumField(METHODS).optional(),
  path: createTextTemplateField(PLACE, "a path that begins with /").superRefine(checkPath).optional(),
  query: parameters.optional(),
  body: createJsonTemplateField(CALL).optional(),
  form: parameters.optional(),
};

const actionSchema = z.strictObject({
  id: identifier(),
  description: nonEmptyText("a description for the model").optional(),
  headers: createHeaderTemplatesField(CALL).default({}),
  ...httpFields,
});

type WrittenAction = z.output<typeof actionSchema>;

export function createHttpClientSchema({ upstreamWires }: Pick<KnownNames, "upstreamWires">) {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("http-client"),
      wire: enumField([...upstreamWires]).optional(),
      description: nonEmptyText("a description for the model").optional(),
      base_url: baseUrl(),
      headers: createHeaderTemplatesField(CALL).default({}),
      actions: listField(actionSchema, "actions").min(1, { error: "expected at least one action" }).optional(),
      ...httpFields,
    })
    .transform(({ type, id, wire, description, base_url, headers, actions, ...siblings }, context) => {
      const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
      if (actions) checkSiblingFields(siblings, fail);
      const raw = actions ?? [{ id: ONLY_ACTION, headers: {}, ...siblings }];
      const service: HttpService = {
        type,
        id,
        wire,
        isInline: actions === undefined,
        description: description ?? `The HTTP service ${id}.`,
        baseUrl: base_url,
        headers,
        actions: raw.map((action) => toAction(action, buildToolName(id, action.id, raw))),
      };
      raw.forEach((action, at) => {
        checkAction(action, service, (path, message) => fail(actions ? ["actions", at, ...path] : path, message));
      });
      return { type, service };
    });
}

function toAction(
  { method = "GET", path = "", params = {}, timeout_ms, redirect_origins, ...rest }: WrittenAction,
  tool: string,
): HttpActionConfig {
  return { ...rest, tool, method, path, params, timeoutMs: timeout_ms, redirectOrigins: redirect_origins };
}

function checkAction(action: WrittenAction, service: HttpService, fail: Fail): void {
  const { method = "GET", path, body, form } = action;
  const isReadOnly = readsOnly(method);
  if (path === undefined) fail(["path"], "expected a path that begins with /");
  for (const [name, value] of Object.entries({ body, form }))
    if (value !== undefined && isReadOnly) fail([name], `expected no ${name}: a ${method} has none`);
  if (body !== undefined && form !== undefined) fail(["form"], "expected one of `body` and `form`");
  checkCourse({ ...action, method, redirectOrigins: action.redirect_origins }, fail);
  checkParams(action.params ?? {}, collectTemplates(service, toAction(action, "")), fail);
}

function checkPath(path: string, context: z.RefinementCtx): void {
  const fail = (message: string): void => context.addIssue({ code: "custom", message });
  const literal = requireLiteral(path);
  if (!literal.startsWith("/") || literal.startsWith("//")) fail("expected a path that begins with one /");
  if (literal.includes("#") || literal.includes("\\")) fail("expected a path without # and \\");
  const [segments = "", query] = literal.split("?");
  if (segments.split("/").some((segment) => segment === ".." || segment === "."))
    fail("expected a path without . or ..");
  const keys = (query ?? "").split("&").map((pair) => pair.split("=")[0] ?? "");
  if (keys.some((key) => key.includes(MARK))) fail("expected placeholders in query values only, never in a query key");
}

/** Replaces placeholders when only the text around them is checked. */
const MARK = "\u0000";

function requireLiteral(template: string): string {
  const parsed = parseTemplate(template);
  if (parsed.type === "malformed") return template;
  return parsed.parts.map((part) => (part.type === "text" ? part.text : MARK)).join("");
}
