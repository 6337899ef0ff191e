// Components of the type `openapi`: the operations of a document as tools. Checks what can be told before any call; sends nothing.
import { z } from "zod";
import type { OpenApiComponent } from "../core/openApiComponent.ts";
import type { Fail } from "./actionFields.ts";
import { approvalSchema, dangerSchema } from "./agentTools.ts";
import { baseUrl, flag, identifier, isOneLine, listOf, oneOf, someText, whole } from "./fields.ts";
import type { KnownNames } from "./KnownNames.ts";
import { documentActions, type Override } from "./openApi/documentActions.ts";
import { METHODS } from "./openApi/operationsIn.ts";
import { readDocument } from "./openApi/readDocument.ts";
import { packageFault } from "./packageFault.ts";
import type { Machine } from "./programs.ts";
import { headerTemplates, serviceFields } from "./serviceFields.ts";
import { type Roots, textTemplate } from "./templates.ts";

const HOUR_MS = 3_600_000;
const OWNERS: Roots = { roots: ["owner"] };
const HEADERS: Roots = { roots: ["owner", "context"] };

export function openApiSchema(known: Pick<KnownNames, "saysPublic">, { folder }: Machine) {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("openapi"),
      description: someText("a description").optional(),
      document: someText("the file of an OpenAPI document, as in shop.yaml"),
      base_url: baseUrl().optional(),
      operations: filterSchema().prefault({}),
      headers: headerTemplates(HEADERS).default({}),
      security: securitySchema().default({}),
      approval: approvalSchema().optional(),
      danger: dangerSchema().optional(),
      untrusted: flag().optional(),
      timeout_ms: whole("milliseconds", 1, HOUR_MS).optional(),
      overrides: z
        .record(z.string(), overrideSchema(), { error: "expected operationIds, each with what is to be otherwise" })
        .default({}),
    })
    .transform(
      ({ type, id, description = `The service ${id}.`, document, base_url, timeout_ms, ...written }, context) => {
        const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
        const missing = packageFault(type, ["@apidevtools/swagger-parser"]);
        if (missing !== undefined) fail(["type"], missing);
        const read = readDocument(folder, document);
        if (read.type === "refused") {
          fail(["document"], read.reason);
          return z.NEVER;
        }
        const actions = documentActions(
          read,
          { id, ...written, baseUrl: base_url, timeoutMs: timeout_ms },
          { known, fail },
        );
        const openApi: OpenApiComponent = {
          type,
          id,
          description,
          document: read.file,
          headers: written.headers,
          ...actions,
        };
        return { type, openApi };
      },
    );
}

function filterSchema() {
  const texts = (what: string) =>
    listOf(someText(what), `${what}s`)
      .min(1, { error: `expected at least one ${what}` })
      .optional();
  return z.strictObject(
    {
      ids: texts("operationId"),
      tags: texts("tag"),
      methods: listOf(oneOf(METHODS), "methods").min(1, { error: "expected at least one method" }).optional(),
      except: texts("operationId"),
    },
    {
      error: (issue) =>
        issue.code === "invalid_type" ? "expected `ids`, `tags`, `methods` and `except`, each a list" : undefined,
    },
  );
}

function securitySchema() {
  const error = "expected a credential in one line";
  const secret = textTemplate(OWNERS, "a text, or `username` and `password`").refine(isOneLine, { error });
  const pair = z.strictObject({
    username: someText("a user's name").refine(isOneLine, { error }),
    password: someText("a password").refine(isOneLine, { error }),
  });
  const words =
    "expected a text, or `username` and `password` of http basic, in which placeholders of `env` have a meaning";
  return z.record(z.string(), z.union([secret, pair], { error: words }), {
    error: "expected the names of security schemes, each with its credential",
  });
}

function overrideSchema() {
  return z
    .strictObject({ description: someText("a description for the model").optional(), ...serviceFields })
    .transform(
      ({ timeout_ms, redirect_origins, ...rest }): Override => ({
        ...rest,
        ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
        ...(redirect_origins && { redirectOrigins: redirect_origins }),
      }),
    );
}
