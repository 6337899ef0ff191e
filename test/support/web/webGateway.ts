// The gateway from a YAML file with a `web-scraper`, before a model that reads the pages that its user names.
import { type Declared, startDeclared } from "../declared/startDeclared.ts";
import type { Site } from "../servers/siteServer.ts";

export interface WebGateway extends Declared {
  /** What the model reads of the page; each call is a run of its own. */
  read(url: string): Promise<string>;
  /** Several pages in one turn. */
  readAll(...urls: readonly string[]): Promise<readonly string[]>;
}

/** @param keys of the component, as YAML; without `hosts` it may read the sites. */
export async function startWeb(
  sites: readonly Site[],
  keys: Readonly<Record<string, unknown>> = {},
): Promise<WebGateway> {
  const hosts = sites.map(({ port }) => `127.0.0.1:${port}`);
  const component = { id: "reader", type: "web-scraper", hosts, ...keys };
  const yaml = `
retries: { attempts: 1 }
components: ${JSON.stringify([component])}
agents: [{ id: default, model: m, tools: [reader] }]
`;
  const declared = await startDeclared(yaml, ({ body }) => {
    const last = body.messages.at(-1);
    if (last?.role !== "user") return "Read.";
    return (JSON.parse(last.content) as string[]).map((url) => ({ name: "reader", arguments: { url } }));
  });
  const readAll = async (...urls: readonly string[]): Promise<readonly string[]> => {
    const messages = [{ role: "user", content: JSON.stringify(urls) }];
    const reply = await declared.post("/v1/agent", { model: "m", messages });
    if (reply.status !== 200) throw new Error(reply.text);
    const asked = declared.upstream.requests.at(-1)?.body.messages ?? [];
    return asked.filter(({ role }) => role === "tool").map(({ content }) => content);
  };
  return { ...declared, readAll, read: async (url) => (await readAll(url))[0] ?? "" };
}
