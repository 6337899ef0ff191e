// A service that counts what is done at it, and the agent's tools for it: `read` runs at once, a person agrees to `mail` and `erase`.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpActionConfig, HttpClientComponent } from "../../../src/core/config/components.ts";
import type { AgentTool } from "../../../src/core/config/configuration.ts";

export interface CountingService {
  /** What was done, each with what it was told. */
  readonly done: string[];
  readonly component: HttpClientComponent;
  readonly tools: readonly AgentTool[];
  close(): Promise<void>;
}

export async function startService(): Promise<CountingService> {
  const done: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    done.push(`${request.url?.slice(1)} ${(JSON.parse(body) as { to: string }).to}`);
    response.end('"done"');
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    done,
    component: {
      ...{
        type: "http-client",
        id: "svc",
        description: "A service.",
        baseUrl: `http://127.0.0.1:${port}`,
        headers: {},
      },
      actions: ["read", "mail", "erase"].map(action),
    },
    tools: [{ tool: "svc.read", name: "read" }, gated("mail"), gated("erase")],
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function action(id: string): HttpActionConfig {
  return { id, tool: `svc.${id}`, method: "POST", path: `/${id}`, body: { to: "${input.to}" }, params: {} };
}

function gated(name: string): AgentTool {
  return { tool: `svc.${name}`, name, approval: { type: "always" }, onReject: "continue" };
}
