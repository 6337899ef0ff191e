// Creates the tool of a `web-scraper` component: takes an address, returns the page as Markdown. Sends requests through the
// injected Egress only.
import { PAGE_TEMPLATES } from "../../core/config/components.ts";
import type { WebScraperComponent } from "../../core/config/webScraperComponent.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Clock, Egress, Redact } from "../../core/ports.ts";
import { inferParameters } from "../../core/template/inferParameters.ts";
import { type MatchesSchema, raiseNeeds } from "../http/raiseInterrupts.ts";
import { type CallEffect, CitedOutput, type Tool } from "../Tool.ts";
import { fetchPage } from "./fetchPage.ts";
import type { PageReaderPool } from "./PageReaderPool.ts";
import { formatPage, type Page } from "./pageText.ts";
import { RobotsCache } from "./RobotsCache.ts";
import { parsePageUrl } from "./urlPolicy.ts";

export interface WebScraperOptions {
  readonly egress: Egress;
  readonly readers: PageReaderPool;
  readonly clock: Pick<Clock, "monotonic">;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
  readonly matches: MatchesSchema;
  /** Redacts texts of pages. */
  readonly redact: Redact;
}

const URL_PARAMETER: JsonObject = { type: "string", description: "The whole address of the page, http or https." };

export function createWebScraperTools(component: WebScraperComponent, options: WebScraperOptions): readonly Tool[] {
  const { egress, readers, headersMs, matches, redact } = options;
  const robots = new RobotsCache(options.clock);
  return component.actions.map((action) => ({
    spec: {
      name: action.tool,
      description: component.description,
      parameters: inferParameters(PAGE_TEMPLATES, {
        ...action.params,
        url: { ...URL_PARAMETER, ...action.params.url },
      }),
    },
    timeoutMs: action.timeoutMs,
    idempotent: action.idempotent ?? true,
    repeatable: action.repeatable,
    async: action.async,
    approval: action.approval,
    asks: action.interrupts !== undefined,
    untrusted: true,
    redact,
    readsOnly: true,
    effect: ({ url }) => pageEffect(parsePageUrl(String(url)).href),
    async execute({ url }, context) {
      const { links, bounds } = component;
      const fetched = await fetchPage(String(url), { egress, component, headersMs, robots, context });
      const answer = await readers.read({ ...fetched, links, bounds }, context.signal);
      if (answer.type === "refused") throw new Error(answer.reason);
      const page: Page = { url: fetched.url, ...answer.page };
      raiseNeeds(plainly(page), action, matches);
      return new CitedOutput(formatPage(page), [{ title: page.title, url: page.url }]);
    },
  }));
}

function pageEffect(page: string): CallEffect {
  return { question: `read this page? ${page}`, deed: { page } };
}

/** The page as the data that `interrupts` are matched against. */
function plainly({ title, url, author = "", date = "", text, links }: Page): JsonObject {
  return { title, url, author, date, text, links: links.map((link) => ({ ...link })) };
}
