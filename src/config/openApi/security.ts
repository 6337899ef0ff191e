// Matches the security requirements of an operation with the operator's credentials. Refuses operations without usable
// credentials; models see none of it.

import type { OperationCredential } from "../../core/config/openApiComponent.ts";
import { isObject, type JsonObject, type JsonValue, toItems } from "../../core/messages.ts";
import { joinPointer, type LocatedNode, listEntries, type OpenApiDocument } from "./OpenApiDocument.ts";
import type { FoundOperation } from "./operations.ts";
import { getInputKey } from "./parameters.ts";

/** Credentials by scheme name: a template, or a user with a password. */
export type GivenCredentials = Readonly<
  Record<string, string | { readonly username: string; readonly password: string }>
>;

/** Keys (`getInputKey`) of every credential parameter of the document: models see no parameter with such a key. */
export function collectCredentialPlaces(document: OpenApiDocument): ReadonlySet<string> {
  const locations = collectSecuritySchemes(document).flatMap(([, { value }]) =>
    value.type === "apiKey" ? [getInputKey(String(value.in), String(value.name))] : [],
  );
  // OpenAPI requires that parameters with these names are ignored.
  return new Set([...locations, "header accept", "header content-type", "header authorization"]);
}

export function collectSecuritySchemes(document: OpenApiDocument): readonly (readonly [string, LocatedNode])[] {
  const { components } = document.root;
  const raw = isObject(components) ? listEntries(components.securitySchemes) : [];
  return raw.flatMap(([name, one]) => {
    const found = document.resolveReference(one, joinPointer("#/components/securitySchemes", name));
    return found ? [[name, found] as const] : [];
  });
}

/**
 * Credentials of the first alternative that is fully covered; an alternative without requirements is used only if no other is
 * covered.
 */
export function readOperationCredentials(
  { value, at }: FoundOperation,
  document: OpenApiDocument,
  credentials: GivenCredentials,
): readonly OperationCredential[] {
  const from =
    value.security === undefined
      ? { list: document.root.security, at: "#/security" }
      : { list: value.security, at: joinPointer(at, "security") };
  const alternatives = toItems(from.list)
    .filter(isObject)
    .map((one) => Object.keys(one));
  if (alternatives.length === 0) return [];
  const possible = alternatives.filter((names) => names.every((name) => Object.hasOwn(credentials, name)));
  const chosen = possible.find((names) => names.length > 0) ?? possible[0];
  const schemes = new Map(collectSecuritySchemes(document));
  if (chosen)
    return chosen.flatMap(
      (name) => toCredential(name, credentials[name] ?? "", { scheme: schemes.get(name), document, at: from.at }) ?? [],
    );
  const required = alternatives.map((names) => names.join(" and ")).join(", or ");
  document.fail(
    at,
    `expected a credential for ${required}: write it in the component, as in \`security: { ${alternatives[0]?.[0]}: "\${env.KEY}" }\`, or leave the operation out by \`operations.except\``,
  );
  return [];
}

interface Surroundings {
  readonly scheme: LocatedNode | undefined;
  readonly document: OpenApiDocument;
  /** Position of the requirement in the document. */
  readonly at: string;
}

function toCredential(
  name: string,
  credentials: GivenCredentials[string],
  { scheme, document, at }: Surroundings,
): OperationCredential | undefined {
  if (!scheme) {
    document.fail(at, `expected a scheme that stands in \`components.securitySchemes\`; \`${name}\` does not`);
    return undefined;
  }
  const kind = classifyScheme(scheme.value);
  switch (kind) {
    case "key":
      return typeof credentials === "string"
        ? { in: toKeyLocation(scheme.value.in), name: String(scheme.value.name), value: credentials }
        : pairless(name, scheme, document);
    case "bearer":
      return typeof credentials === "string"
        ? { ...AUTHORIZATION, value: `Bearer ${credentials}` }
        : pairless(name, scheme, document);
    case "basic":
      return {
        ...AUTHORIZATION,
        value: `Basic ${typeof credentials === "string" ? credentials : encodedPair(credentials)}`,
      };
    case undefined:
      document.fail(
        scheme.at,
        "expected a scheme of apiKey, http (bearer or basic), oauth2 or openIdConnect; no other can be met",
      );
      return undefined;
    default:
      return kind satisfies never;
  }
}

const AUTHORIZATION = { in: "header", name: "authorization" } as const;

function pairless(name: string, { at }: LocatedNode, document: OpenApiDocument): undefined {
  document.fail(
    at,
    `expected one text in the component's \`security.${name}\`: only http basic has a user and a password`,
  );
  return undefined;
}

function encodedPair({ username, password }: { readonly username: string; readonly password: string }): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}

/** A token of oauth2 and openIdConnect is sent as a bearer token; the operator obtains it. */
function classifyScheme({ type, scheme, in: location }: JsonObject): "key" | "bearer" | "basic" | undefined {
  if (type === "apiKey" && isPlace(location)) return "key";
  if (type === "oauth2" || type === "openIdConnect") return "bearer";
  const word = type === "http" && typeof scheme === "string" ? scheme.toLowerCase() : "";
  return word === "bearer" || word === "basic" ? word : undefined;
}

function isPlace(place: JsonValue | undefined): boolean {
  return place === "header" || place === "query" || place === "cookie";
}

function toKeyLocation(place: JsonValue | undefined): OperationCredential["in"] {
  return place === "query" || place === "cookie" ? place : "header";
}
