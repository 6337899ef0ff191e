// Components of type `openapi`: the operations of a document as tools. Checks the configuration only; sends nothing.
import { z } from "zod";
import type { OpenApiComponent } from "../../core/config/openApiComponent.ts";
import { createApprovalSchema, createDangerSchema } from "../agents/agentTools.ts";
import { baseUrl, enumField, flag, identifier, integerField, isOneLine, listField, nonEmptyText } from "../fields.ts";
import type { KnownNames } from "../load/KnownNames.ts";
import { validatePackage } from "../load/optionalPackages.ts";
import { createDocumentActions, type Override } from "../openApi/documentActions.ts";
import { METHODS } from "../openApi/operations.ts";
import { readDocument } from "../openApi/readDocument.ts";
import { createTextTemplateField, type Roots } from "../templates.ts";
import type { Fail } from "./actionFields.ts";
import type { Machine } from "./programs.ts";
import { createHeaderTemplatesField, serviceFields } from "./serviceFields.ts";

const HOUR_MS = 3_600_000;
const OWNERS: Roots = { roots: ["owner"] };
const HEADERS: Roots = { roots: ["owner", "context"] };

export function createOpenApiSchema(known: Pick<KnownNames, "saysPublic">, { folder }: Machine) {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("openapi"),
      description: nonEmptyText("a description").optional(),
      document: nonEmptyText("the file of an OpenAPI document, as in shop.yaml"),
      base_url: baseUrl().optional(),
      operations: filterSchema().prefault({}),
      headers: createHeaderTemplatesField(HEADERS).default({}),
      security: securitySchema().default({}),
      approval: createApprovalSchema().optional(),
      danger: createDangerSchema().optional(),
      untrusted: flag().optional(),
      timeout_ms: integerField("milliseconds", 1, HOUR_MS).optional(),
      overrides: z
        .record(z.string(), overrideSchema(), { error: "expected operationIds, each with what is to be otherwise" })
        .default({}),
    })
    .transform(({ type, id, description = `The service ${id}.`, document, base_url, timeout_ms, ...raw }, context) => {
      const fail: Fail = (path, message) => context.addIssue({ code: "custom", path: [...path], message });
      const missing = validatePackage(type, ["@apidevtools/swagger-parser"]);
      if (missing !== undefined) fail(["type"], missing);
      const read = readDocument(folder, document);
      if (read.type === "refused") {
        fail(["document"], read.reason);
        return z.NEVER;
      }
      const actions = createDocumentActions(
        read,
        { id, ...raw, baseUrl: base_url, timeoutMs: timeout_ms },
        { known, fail },
      );
      const openApi: OpenApiComponent = {
        type,
        id,
        description,
        document: read.file,
        headers: raw.headers,
        ...actions,
      };
      return { type, openApi };
    });
}

function filterSchema() {
  const texts = (expectation: string) =>
    listField(nonEmptyText(expectation), `${expectation}s`)
      .min(1, { error: `expected at least one ${expectation}` })
      .optional();
  return z.strictObject(
    {
      ids: texts("operationId"),
      tags: texts("tag"),
      methods: listField(enumField(METHODS), "methods").min(1, { error: "expected at least one method" }).optional(),
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
  const secret = createTextTemplateField(OWNERS, "a text, or `username` and `password`").refine(isOneLine, { error });
  const pair = z.strictObject({
    username: nonEmptyText("a user's name").refine(isOneLine, { error }),
    password: nonEmptyText("a password").refine(isOneLine, { error }),
  });
  const expectation =
    "expected a text, or `username` and `password` of http basic, in which placeholders of `env` have a meaning";
  return z.record(z.string(), z.union([secret, pair], { error: expectation }), {
    error: "expected the names of security schemes, each with its credential",
  });
}

function overrideSchema() {
  return z
    .strictObject({ description: nonEmptyText("a description for the model").optional(), ...serviceFields })
    .transform(
      ({ timeout_ms, redirect_origins, ...rest }): Override => ({
        ...rest,
        ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
        ...(redirect_origins && { redirectOrigins: redirect_origins }),
      }),
    );
}
