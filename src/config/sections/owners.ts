// The section `owners` of postel.yaml: the credentials of each caller for services, in a form that does not print them.
import { z } from "zod";
import { Credentials } from "../../core/config/Credentials.ts";
import type { ActionComponent } from "../../core/config/components.ts";
import type { ApiKey } from "../../core/config/configuration.ts";
import { collectOperationTemplates } from "../../core/config/openApiComponent.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import { findPlaceholders, type Placeholder } from "../../core/template/fillTemplate.ts";
import { key } from "../fields.ts";
import type { ReferenceIssue } from "../load/ConfigIssue.ts";
import type { Located } from "../load/collectDeclared.ts";

/** Minimum length in characters: the redactor treats shorter values as dummies and does not remove them. */
const SHORTEST = 6;

export function createOwnersSchema() {
  const error = `expected a credential of ${SHORTEST} characters or more, in one line`;
  const named = z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: "expected a name of 1–64 letters, digits, `_` or `-`" });
  const credentials = z.record(
    named,
    key().refine((value) => value.length >= SHORTEST, { error }),
    { error: "expected credentials by name" },
  );
  return z
    .record(named, z.strictObject({ credentials }), { error: "expected owners by name, each with `credentials`" })
    .transform((owners) => {
      const names = Object.keys(owners);
      return {
        names,
        credentials: new Credentials(names.map((name) => [name, owners[name]?.credentials ?? {}])),
      };
    });
}

export type WrittenOwners = z.output<ReturnType<typeof createOwnersSchema>>;

/** Faults: owners that no caller can be, and credentials that a component needs and no owner has. */
export function validateOwners(
  { names, credentials }: WrittenOwners,
  apiKeys: readonly ApiKey[],
  tools: readonly Located<ActionComponent>[],
): readonly ReferenceIssue[] {
  const callers = apiKeys.length > 0 ? apiKeys.map(({ name }) => name) : [LOCAL_CALLER.name];
  const unknown = names.filter((name) => !callers.includes(name));
  return [
    ...unknown.map((name) => ({ path: ["owners", name], message: `expected a caller: ${callers.join(", ")}` })),
    ...tools.flatMap(({ path, is }) =>
      collectPlaceholders(is)
        .filter(({ root, path: [name = ""], fallback }) => root === "owner" && !fallback && !credentials.has(name))
        .map(({ source }) => ({
          path,
          message: `expected a credential that an owner has; \`${source}\` is none of them: write it under \`owners.NAME.credentials\``,
        })),
    ),
  ];
}

/** The texts of an OpenAPI document are not templates. */
function collectPlaceholders(component: ActionComponent): readonly Placeholder[] {
  if (component.type !== "openapi") return findPlaceholders(Object.values(component));
  return findPlaceholders(component.actions.flatMap((action) => collectOperationTemplates(component, action)));
}
