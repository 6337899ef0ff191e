// A gateway that is started from a YAML file with vector stores, before one server that has a model for conversations and one for embeddings.

import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { Observer } from "../../../src/core/ports.ts";
import { FakeUpstream, type UpstreamRequest } from "../FakeUpstream.ts";
import { answerEmbeddings } from "../servers/embeddings.ts";
import { type SimulatedCall as Call, callOnce, resultsIn } from "../simulateModel.ts";
import { configOf as configOfYaml, type RunningGateway, startGateway } from "../startGateway.ts";

/** What was asked of the embeddings. */
interface Embedded {
  readonly model: string;
  readonly input: readonly string[];
}

export interface VectorHouse {
  readonly gateway: RunningGateway;
  readonly config: Config;
  readonly folder: string;
  readonly embedded: readonly Embedded[];
  /** What the model was sent, the last request last. */
  readonly asked: readonly UpstreamRequest[];
  /** Has the model make these calls in one turn, for the owner of this key; what it then reads of each, in their order. */
  call(key: string, ...calls: readonly Call[]): Promise<readonly string[]>;
  /** A request to the gateway, with this key. */
  send(key: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: never }>;
  /** Another gateway of the same file in the place of this one. */
  restart(change?: (yaml: string) => string): Promise<void>;
  close(): Promise<void>;
}

interface Wish {
  /** `FILE` stands for a file of the store, `URL` for the server. */
  readonly yaml: string;
  /** Numbers of a vector, by the model's name. */
  readonly dimensions?: Readonly<Record<string, number>>;
  /** Answers in the place of the embeddings, where it says so. */
  readonly embeddings?: (response: ServerResponse, count: number) => boolean;
  readonly observer?: Observer;
  /** True: into the folder `recordings`. */
  readonly recorded?: boolean;
}

const HEAD = `
server: { api_keys: [{ name: ada, key: key-of-ada, can: [ask, decide] }, { name: bob, key: key-of-bob, can: [ask, decide] }] }
upstreams: [{ id: fake, base_url: "URL" }]
retries: { attempts: 1 }
`;

/** The model calls natively, what the test says, and answers `Done.` */
export async function startVectors(wish: Wish): Promise<VectorHouse> {
  const folder = mkdtempSync(join(tmpdir(), "postel-vectors-"));
  const embedded: Embedded[] = [];
  let next: readonly Call[] = [];
  const answerChat = callOnce(() => next);
  const upstream = await FakeUpstream.start((request, response) => {
    if (!request.path.endsWith("/embeddings")) return answerChat(request, response);
    const asked = request.body as unknown as Embedded;
    embedded.push(asked);
    if (wish.embeddings?.(response, embedded.length)) return undefined;
    return answerEmbeddings(asked, response, wish.dimensions?.[asked.model] ?? 64);
  });
  const recordTo = wish.recorded ? join(folder, "recordings") : undefined;
  let yaml = wish.yaml;
  const configure = () => configOf(folder, `${HEAD}${yaml}`, upstream.baseUrl);
  let config = configure();
  let gateway = await startGateway({ config, observer: wish.observer, recordTo });
  const send = async (key: string, path: string, body?: object) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer key-of-${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  return {
    get gateway() {
      return gateway;
    },
    get config() {
      return config;
    },
    ...{ folder, embedded, send },
    asked: upstream.requests,
    call: async (key, ...calls) => {
      next = calls;
      await send(key, "/v1/agent", { model: "hand", messages: [{ role: "user", content: "Go." }] });
      const chats = upstream.requests.filter(({ path }) => path.endsWith("/chat/completions"));
      const last = chats.at(-1);
      return last ? resultsIn(last) : [];
    },
    restart: async (change = (same) => same) => {
      await gateway.close();
      yaml = change(yaml);
      config = configure();
      gateway = await startGateway({ config, observer: wish.observer, recordTo });
    },
    close: async () => {
      await gateway.close();
      await upstream.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The configuration of a file of this text. */
export function configOf(folder: string, yaml: string, url: string): Config {
  return configOfYaml(yaml.replaceAll("URL", url).replaceAll("FILE", join(folder, "kept.db")), {}, folder);
}
