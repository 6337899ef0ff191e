// The `components:` section: HTTP services, models and agents. Checks where placeholders may stand; refuses every other kind of component.
import { z } from "zod";
import type { HttpActionConfig } from "../core/components.ts";
import type { UpstreamConfig } from "../core/configuration.ts";
import { placeholdersIn } from "../core/fillTemplate.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import { parseTemplate } from "../core/template.ts";
import { agentComponentSchema, type WrittenAgent } from "./agents.ts";
import { approvalSchema } from "./agentTools.ts";
import { baseUrl, flag, headers, identifier, listOf, oneOf, plainObject, someText } from "./fields.ts";
import type { KnownNames } from "./KnownNames.ts";
import { modelComponentSchema } from "./modelComponents.ts";
import type { HttpService } from "./modelServices.ts";
import { jsonTemplate, type Roots, textTemplate } from "./templates.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

const INPUTS: Roots = { roots: ["input"], namesInputs: true };
const RESPONSE: Roots = { roots: ["response"] };

const actionSchema = z
  .strictObject({
    id: identifier(),
    description: someText("a description for the model").optional(),
    method: oneOf(METHODS).default("GET"),
    path: textTemplate(INPUTS, "a path that begins with /").superRefine(checkPath),
    body: jsonTemplate(INPUTS).optional(),
    output: textTemplate(RESPONSE).optional(),
    sources: textTemplate(RESPONSE).optional(),
    params: z
      .record(z.string(), plainObject("a JSON Schema"), { error: "expected parameter names with JSON Schemas" })
      .default({}),
    repeatable: flag().optional(),
    idempotent: flag().optional(),
    approval: approvalSchema().optional(),
    untrusted: flag().optional(),
    interrupts: z
      .record(needName(), answerNeed(), {
        error: "expected names of needs, each with `when`, `message` and `suggestion`",
      })
      .optional(),
  })
  .superRefine((action, context) => {
    if (action.body !== undefined && (action.method === "GET" || action.method === "HEAD"))
      context.addIssue({ code: "custom", path: ["body"], message: `expected no body: a ${action.method} has none` });
    checkParams(action, context);
  });

/** What a person is asked by: no name that the gateway itself asks by. */
function needName() {
  const error = "expected a name such as no_results: small letters, digits and `_`, and neither clarify nor approval";
  return z.string().regex(/^(?!(?:clarify|approval)$)[a-z][a-z0-9_]{0,63}$/, { error });
}

function answerNeed() {
  return z.strictObject({
    when: plainObject("a JSON Schema of the response"),
    message: someText("what a person is asked"),
    suggestion: someText("why, or what to do").optional(),
  });
}

export type Component =
  | { readonly type: "http-client"; readonly service: HttpService }
  | { readonly type: "model"; readonly upstream: UpstreamConfig }
  | { readonly type: "agent"; readonly agent: WrittenAgent };

/** One component; any other type is refused with those that are supported. */
export function componentSchema(known: Pick<KnownNames, "upstreamWires" | "addressFault">) {
  const kinds = [httpClientSchema(known), modelComponentSchema(known), agentComponentSchema()] as const;
  return z.discriminatedUnion("type", kinds, {
    error: "expected a `type:` of http-client, model or agent, the supported ones",
  });
}

function httpClientSchema({ upstreamWires }: Pick<KnownNames, "upstreamWires">) {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("http-client"),
      wire: oneOf([...upstreamWires]).optional(),
      description: someText("a description for the model").optional(),
      base_url: baseUrl(),
      headers: headers().default({}),
      actions: listOf(actionSchema, "actions").min(1, { error: "expected at least one action" }),
    })
    .transform(({ type, id, wire, description, base_url, headers, actions }) => {
      const service: HttpService = {
        type,
        id,
        wire,
        description: description ?? `The HTTP service ${id}.`,
        baseUrl: base_url,
        headers,
        actions: actions.map(
          (action): HttpActionConfig => ({ ...action, tool: actions.length === 1 ? id : `${id}.${action.id}` }),
        ),
      };
      return { type, service };
    });
}

type Context = z.RefinementCtx;

function checkPath(path: string, context: Context): void {
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

function checkParams(
  action: { path: string; body?: JsonValue | undefined; params: Record<string, JsonObject> },
  context: Context,
): void {
  const used = new Set(
    [action.path, action.body ?? null].flatMap(placeholdersIn).flatMap(({ path }) => path.slice(0, 1)),
  );
  for (const name of Object.keys(action.params)) {
    if (used.has(name)) continue;
    const message = `expected a parameter that the action uses (${[...used].join(", ") || "it uses none"})`;
    context.addIssue({ code: "custom", path: ["params", name], message });
  }
}
