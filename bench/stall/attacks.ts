// Lists the hostile inputs of `npm run stall`. Each is as large as the default limits allow.
import { HOSTILE_PAGES } from "../../test/support/hostilePages.ts";
import { SCRAPER_AGENT, SCRAPER_COMPONENT } from "./GatewayProcess.ts";
import { type Answer, answerWithPageCall } from "./HostileUpstream.ts";
import { createHostileAnswers } from "./hostileAnswers.ts";
import { createHostileRequests } from "./hostileRequests.ts";

/** A request of a client, and what the upstream answers. */
export interface Attack {
  readonly name: string;
  /** The default is `/v1/chat/completions`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Creates the body: fields beside `model` and `messages`, or the whole text. */
  readonly createBody?: () => object | string;
  /** Creates the upstream's answer. The default is the text "ok". */
  readonly createAnswer?: () => Answer;
  /** Creates the HTML page that the model asks a tool to read. */
  readonly createPage?: () => Buffer;
  /** True if another process holds the store's write lock for 5 s during the request. */
  readonly locksStore?: true;
}

/** All hostile inputs. */
export const ATTACKS: readonly Attack[] = [
  ...createHostileAnswers(),
  ...createHostileRequests(),
  ...Object.entries(HOSTILE_PAGES).map(([name, createPage]) => ({
    ...{ name: `a page: ${name}`, path: "/v1/agent", createPage },
    createBody: () => ({ agent: SCRAPER_AGENT }),
    createAnswer: () => answerWithPageCall(SCRAPER_COMPONENT),
  })),
  { name: "another process holds the store's lock for 5 s", path: "/v1/agent", locksStore: true },
];

/** Returns the bytes of the attack's request. @param model the name by which the upstream selects its answer. */
export function createRequestBody(attack: Attack, model: string): Buffer {
  const body = attack.createBody?.() ?? {};
  if (typeof body === "string") return Buffer.from(body);
  return Buffer.from(JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...body }));
}
