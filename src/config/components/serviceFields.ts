// Fields of actions that call HTTP services, and checks for combinations that conflict.
import { z } from "zod";
import { readsOnly, type ServiceAction } from "../../core/config/componentActions.ts";
import { type RedirectOrigin, readRedirectOrigin } from "../../core/http/redirectOrigins.ts";
import { findPlaceholders } from "../../core/template/fillTemplate.ts";
import { headerName, integerField, isOneLine, listField, textField } from "../fields.ts";
import { createTextTemplateField, type Roots } from "../templates.ts";
import { actionFields, type Fail } from "./actionFields.ts";

const ORIGIN = "an origin such as https://files.example.com or *.example.com";
const HOUR_MS = 3_600_000;
const RESPONSE: Roots = { roots: ["response"] };

export const serviceFields = {
  ...actionFields,
  output: createTextTemplateField(RESPONSE).optional(),
  sources: createTextTemplateField(RESPONSE).optional(),
  redirects: integerField("redirects", 0, 5).optional(),
  redirect_origins: listField(redirectOrigin(), "origins").optional(),
  retries: integerField("retries", 0, 5).optional(),
  timeout_ms: integerField("milliseconds", 1, HOUR_MS).optional(),
};

/** Refuses redirects and retries for methods that do more than read. */
export function checkCourse(
  {
    method,
    redirects = 0,
    redirectOrigins = [],
    retries = 0,
    idempotent,
  }: Pick<ServiceAction, "method" | "redirects" | "redirectOrigins" | "retries" | "idempotent">,
  fail: Fail,
): void {
  const isReadOnly = readsOnly(method);
  if (redirects > 0 && !isReadOnly) fail(["redirects"], `expected none: a ${method} is not sent on to another place`);
  if (redirectOrigins.length > 0 && redirects === 0)
    fail(["redirect_origins"], "expected none, or `redirects` beside it: without it no redirect is followed");
  if (retries > 0 && !(idempotent ?? isReadOnly))
    fail(["retries"], "expected none, or `idempotent: true` beside it: what is sent twice may be done twice");
}

function redirectOrigin() {
  return textField(ORIGIN).transform((raw, context): RedirectOrigin => {
    const origin = readRedirectOrigin(raw);
    if (origin) return origin;
    context.addIssue({
      code: "custom",
      message: `expected ${ORIGIN}; no path, and \`*\` only before a name's first dot`,
    });
    return z.NEVER;
  });
}

/** Header names (made lower case) with templates as values. */
export function createHeaderTemplatesField(allowed: Roots) {
  const oneLine = "expected a header value in one line without control characters; take them out";
  const value = createTextTemplateField(allowed).refine(isOneLine, { error: oneLine });
  return z.record(headerName(), value, { error: "expected header names with values" }).transform((raw, context) => {
    const headers = Object.fromEntries(Object.entries(raw).map(([name, text]) => [name.toLowerCase(), text]));
    for (const [name, text] of Object.entries(headers)) {
      if (!isOfConnection(name) && !(name === "host" && findPlaceholders(text).length > 0)) continue;
      const message = `expected another header: \`${name}\` belongs to the connection`;
      context.addIssue({ code: "custom", path: [name], message });
    }
    return headers;
  });
}

/**
 * Returns true if the header controls the connection (RFC 9110, 7.6.1) or states the length of the message. @param name lower
 * case.
 */
export function isOfConnection(name: string): boolean {
  return OF_THE_CONNECTION.has(name);
}

const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["content-length", "expect"],
]);
