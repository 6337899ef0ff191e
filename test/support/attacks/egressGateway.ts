// The gateway, started from a YAML file, before a service that sends where it is told, and a canary that nobody may reach.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { FakeUpstream } from "../FakeUpstream.ts";
import { resultsIn, simulateModel } from "../simulateModel.ts";
import { configOf, type RunningGateway, startGateway } from "../startGateway.ts";

export interface Counted {
  readonly port: number;
  readonly url: string;
  /** The addresses of this machine to which connections came, whatever came through them. */
  readonly connections: string[];
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

/** Listens on every address of the machine, so that any spelling of it is heard. */
export async function startCounted(
  answer: RequestListener = (_, response) => response.end("canary"),
): Promise<Counted> {
  const requests: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await once(server.listen(0), "listening");
  const { port } = server.address() as AddressInfo;
  const counted: Counted = {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: [],
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  server.on(
    "connection",
    ({ localAddress = "" }) => void counted.connections.push(localAddress.replace("::ffff:", "")),
  );
  return counted;
}

/** Answers with what `to` says as its Location, and everything else with a word. */
export const sendsOn: RequestListener = (request, response) => {
  const to = new URL(request.url ?? "", "http://service").searchParams.get("to");
  if (to === null) response.end('"served"');
  else response.writeHead(307, { location: /[^\x20-\xff]/.test(to) ? encodeURI(to) : to }).end();
};

/** A model that makes the calls that its user writes: `[[action, argument], …]`. */
function startModel(): Promise<FakeUpstream> {
  return FakeUpstream.start(
    simulateModel(({ body }) => {
      const last = body.messages?.at(-1);
      if (last?.role !== "user" || !body.tools) return { text: "Done." };
      const names = body.tools.map((tool) => (tool as { readonly function: { readonly name: string } }).function.name);
      const asked = JSON.parse(last.content) as [string, string][];
      return {
        calls: asked.map(([action, x]) => ({
          name: names.find((name) => name.endsWith(action)) ?? action,
          arguments: { x },
        })),
      };
    }),
  );
}

export interface EgressHouse {
  readonly gateway: RunningGateway;
  readonly model: FakeUpstream;
  /** Has the model call each action with its argument; resolves with the results as the model reads them. */
  call(...calls: readonly (readonly [action: string, argument: string])[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** @param others origins that the configuration writes as well. */
export async function startHouse(service: string, others: readonly string[] = []): Promise<EgressHouse> {
  const model = await startModel();
  const gateway = await startGateway({ config: configOf(yamlOf(model.baseUrl, service, others)) });
  return {
    gateway,
    model,
    async call(...calls) {
      const messages = [{ role: "user" as const, content: JSON.stringify(calls) }];
      await gateway.client("/v1/agent").chat.completions.create({ model: "m", messages });
      const last = model.requests.at(-1);
      return last ? resultsIn(last) : [];
    },
    close: async () => {
      await gateway.close();
      await model.close();
    },
  };
}

function yamlOf(model: string, service: string, others: readonly string[]): string {
  return `
upstreams: [{ id: fake, base_url: "${model}", models: ["*"] }]
components:
  - id: svc
    type: http-client
    base_url: ${service}/v1
    headers: { authorization: Bearer key-of-the-service, cookie: s=key-of-the-service, x-api-key: key-of-the-service, x-mine: key-of-the-service }
    actions:
      - { id: by-path, path: "/p/\${input.x}" }
      - { id: by-query, path: /q, query: { u: "\${input.x}" } }
      - { id: by-header, path: /h, headers: { x-u: "\${input.x}" } }
      - { id: by-redirect, path: /r, query: { to: "\${input.x}" }, redirects: 3${others.length > 0 ? `, redirect_origins: ${JSON.stringify(others)}` : ""} }
      - { id: unfollowed, path: /r, query: { to: "\${input.x}" } }
${others.map((url, at) => `  - { id: other-${at}, type: http-client, base_url: "${url}", path: / }`).join("\n")}
agents: [{ id: default, tools: [svc] }]
retries: { attempts: 1 }
`;
}
