// Components of type `web-scraper`: allowed hosts and limits per page. Fetches nothing.
import { z } from "zod";
import { PAGE_TEMPLATES } from "../../core/config/components.ts";
import type { HostPattern, WebScraperComponent } from "../../core/config/webScraperComponent.ts";
import { enumField, identifier, integerField, listField, nonEmptyText, textField } from "../fields.ts";
import { validatePackage } from "../load/optionalPackages.ts";
import { actionFields, checkParams, ONLY_ACTION } from "./actionFields.ts";

/** Packages that extract content from pages. */
const PACKAGES = ["@mozilla/readability", "linkedom", "turndown"];

const MEGABYTE = 1_048_576;

// A page cannot be a risky command, so `danger` has no meaning.
const { danger: _, ...ownFields } = actionFields;

export function createWebScraperSchema() {
  return z
    .strictObject({
      id: identifier(),
      type: z.literal("web-scraper"),
      description: nonEmptyText("a description for the model").optional(),
      hosts: listField(hostPattern(), "hosts")
        .min(1, { error: "expected at least one host, or no `hosts`" })
        .optional(),
      except: listField(hostPattern(), "hosts").default([]),
      robots: enumField(["respect", "ignore"]).default("respect"),
      user_agent: userAgent().default("Postel"),
      redirects: integerField("redirects", 0, 10).default(5),
      links: integerField("links", 0, 500).default(0),
      max_bytes: integerField("bytes", 1_024, 32 * MEGABYTE).default(2 * MEGABYTE),
      max_elements: integerField("elements", 100, 1_000_000).default(50_000),
      max_depth: integerField("levels", 10, 2_000).default(256),
      parse_ms: integerField("milliseconds", 100, 600_000).default(5_000),
      timeout_ms: integerField("milliseconds", 1, 3_600_000).default(30_000),
      ...ownFields,
      untrusted: z.literal(true, { error: "expected true or nothing: a page is written by anybody" }).optional(),
    })
    .transform((raw, context) => {
      const { type, id, description = "Reads a page of the web and gives its text as Markdown.", params = {} } = raw;
      const fail = (path: readonly (string | number)[], message: string): void =>
        context.addIssue({ code: "custom", path: [...path], message });
      const missing = validatePackage(type, PACKAGES);
      if (missing !== undefined) fail(["type"], missing);
      checkParams(params, PAGE_TEMPLATES, fail);
      const { hosts, except, robots, user_agent, redirects, links, max_bytes, timeout_ms, ...siblings } = raw;
      const { max_elements, max_depth, parse_ms, repeatable, async, idempotent, approval, untrusted, interrupts } =
        siblings;
      const fixed = { params, repeatable, async, idempotent, approval, untrusted, interrupts, timeoutMs: timeout_ms };
      const scraper: WebScraperComponent = {
        ...{ type, id, description, hosts, except, robots, redirects, links },
        userAgent: user_agent,
        maxBytes: max_bytes,
        bounds: { maxElements: max_elements, maxDepth: max_depth, parseMs: parse_ms },
        actions: [{ id: ONLY_ACTION, tool: id, ...fixed }],
      };
      return { type, scraper };
    });
}

const HOST = "expected a host such as docs.example.com, *.example.com or *, and a port where it is not the scheme's";

function hostPattern() {
  return textField(HOST.slice("expected ".length)).transform((raw, context): HostPattern => {
    const [, failBelow = "", name = "", port] = /^(\*\.)?([^*/?#@\\\s]+?|\*)(?::(\d{1,5}))?$/.exec(raw) ?? [];
    if (name === "*" && failBelow === "") return createHostPattern("*", port);
    const host = name === "" ? undefined : URL.parse(`http://${name}`)?.hostname;
    if (host && Number(port ?? 1) <= 65_535 && Number(port ?? 1) > 0)
      return createHostPattern(`${failBelow}${host}`, port);
    context.addIssue({ code: "custom", message: HOST });
    return z.NEVER;
  });
}

function createHostPattern(host: string, port: string | undefined): HostPattern {
  return port === undefined ? { host } : { host, port: Number(port) };
}

function userAgent() {
  const error = "expected a header's value that begins with a word for robots.txt, as in AcmeReader/1.0";
  return textField("a header's value").refine((value) => /^[A-Za-z_-]+(?:$|[ /;(])[\x20-\x7e]*$/.test(value), {
    error,
  });
}
