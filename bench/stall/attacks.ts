// The hostile inputs of `npm run stall`, each as large as a default limit lets it be. Knows neither how it is sent nor how it is measured.

import { HOSTILE_PAGES } from "../../test/support/hostilePages.ts";
import { READER, SCRAPER } from "./GatewayProcess.ts";
import { type Answer, reads } from "./HostileUpstream.ts";
import { hostileAnswers } from "./hostileAnswers.ts";
import { hostileRequests } from "./hostileRequests.ts";

export interface Attack {
  readonly name: string;
  /** Absent: `/v1/chat/completions`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request's body: fields that a `model` and `messages` are added to, or the text itself. */
  readonly body?: () => object | string;
  /** What the upstream does with the request; absent: it says "ok". */
  readonly answer?: () => Answer;
  /** A page that the model has read. */
  readonly page?: () => Buffer;
  /** True where another process holds the store's lock for five seconds meanwhile. */
  readonly locksStore?: true;
}

export const ATTACKS: readonly Attack[] = [
  ...hostileAnswers(),
  ...hostileRequests(),
  ...Object.entries(HOSTILE_PAGES).map(([name, page]) => ({
    ...{ name: `a page: ${name}`, path: "/v1/agent", page },
    body: () => ({ agent: READER }),
    answer: () => reads(SCRAPER),
  })),
  { name: "a writer that holds the store's lock for 5 s", path: "/v1/agent", locksStore: true },
];

/** What is sent for an attack whose upstream knows it by this model name. */
export function bodyOf(attack: Attack, model: string): Buffer {
  const body = attack.body?.() ?? {};
  if (typeof body === "string") return Buffer.from(body);
  return Buffer.from(JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...body }));
}
