// A gateway that is started from a YAML file with servers of tools, before a model that makes calls natively or in text.

import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChatCompletion } from "openai/resources";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { Observation } from "../../../src/core/ports.ts";
import { FakeUpstream } from "../FakeUpstream.ts";
import { type SimulatedCall as Call, resultsIn, simulateModel } from "../simulateModel.ts";
import { configOf as configOfYaml, type RunningGateway, startGateway } from "../startGateway.ts";

/** A folder for the configuration, which a toy server shares with its test. */
export interface Place {
  readonly folder: string;
  /** Writes what the toy server goes by. */
  tell(name: string, text?: string): void;
  forget(name: string): void;
  /** What the toy server has written down. */
  log(): readonly string[];
  remove(): void;
}

export function makePlace(): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "postel-mcp-")));
  return {
    folder,
    tell: (name, text = "") => writeFileSync(join(folder, name), text),
    forget: (name) => rmSync(join(folder, name), { force: true }),
    log: () => {
      const file = join(folder, "log");
      return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const TOY = fileURLToPath(new URL("../servers/toyMcp.ts", import.meta.url));

/** Resolves once it holds; rejects where it does not for ten seconds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 10_000; !(await holds()); await new Promise((next) => setTimeout(next, 20)))
    if (performance.now() > end) throw new Error(`This did not come: ${holds}`);
}

/** The words of a command. */
export function toyCommand({ folder }: Place): string {
  return JSON.stringify([process.execPath, TOY, folder]);
}

export function everythingCommand(...words: readonly string[]): string {
  const server = resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  return JSON.stringify([process.execPath, server, ...words]);
}

export interface McpOptions {
  /** The agent's `tools:`; absent: all of each component. */
  readonly tools?: string;
  readonly env?: Record<string, string>;
  readonly recordTo?: string;
  /** Further lines of the file. */
  readonly more?: string;
  /** What the servers say of their tools somebody has to agree to, as it is where nothing is said of that. */
  readonly asks?: true;
}

/** The configuration of a file with these components, and an agent `hand`; the model `t` is asked in text. */
export function configOf(
  place: Place,
  components: string,
  options: McpOptions & { readonly url?: string } = {},
): Config {
  const ids = [...components.matchAll(/^ {2}- id: ([\w-]+)/gm)].map(([, id]) => id);
  const { url = "http://127.0.0.1:9/v1", tools = `[${ids.join(", ")}]`, env = {}, more = "", asks } = options;
  const yaml = `upstreams: [{ id: fake, base_url: "${url}" }]
retries: { attempts: 1 }
models: [{ match: [t], tools: text, why: test }]
agents: [{ id: hand, model: m, tools: ${tools} }, { id: texter, model: t, tools: ${tools} }]
${more}
components:
${asks ? components : components.replaceAll(/^( *)type: mcp$/gm, "$1type: mcp\n$1definitions: first_listed")}`;
  return configOfYaml(yaml, { PATH: process.env.PATH, FOLDER: place.folder, ...env }, place.folder);
}

export interface Served {
  readonly gateway: RunningGateway;
  readonly upstream: FakeUpstream;
  readonly observed: readonly Observation[];
  /** From now on the model makes these calls. */
  next(...calls: readonly Call[]): void;
  /** Has the model make these calls in one turn; what its client is answered. */
  ask(...calls: readonly Call[]): Promise<ChatCompletion>;
  /** As `ask`, of a client that leaves when the signal says so: rejects then. */
  askUntil(signal: AbortSignal, call: Call): Promise<ChatCompletion>;
  /** As `ask`; what the model then reads of each, in their order. */
  call(...calls: readonly Call[]): Promise<readonly string[]>;
  /** As `call`, of a model that writes its calls; all that it reads then. */
  write(...calls: readonly Call[]): Promise<string>;
  /** The names of the tools that a model is offered now. */
  offered(): Promise<readonly string[]>;
  /** Resolves once the log says this of a server. */
  told(state: "up" | "down" | "ignored", detail?: RegExp): Promise<string>;
  close(): Promise<void>;
}

export async function startServed(place: Place, components: string, options: McpOptions = {}): Promise<Served> {
  let next: readonly Call[] = [];
  const upstream = await startModel(() => next);
  const observed: Observation[] = [];
  const listeners = new Set<() => void>();
  const observe = (observation: Observation): void => {
    observed.push(observation);
    for (const listener of listeners) listener();
  };
  const gateway = await startGateway({
    config: configOf(place, components, { ...options, url: upstream.baseUrl }),
    observer: { observe },
    recordTo: options.recordTo,
  });
  const asking =
    (model: string, signal?: AbortSignal) =>
    async (...calls: readonly Call[]): Promise<ChatCompletion> => {
      next = calls;
      const messages = [{ role: "user" as const, content: "Go." }];
      return await gateway.client("/v1/agent").chat.completions.create({ model, messages }, { signal });
    };
  const lastAsked = () => {
    const last = upstream.requests.at(-1);
    if (!last) throw new Error("The model was not asked.");
    return last.body;
  };
  const ask = asking("hand");
  return {
    ...{ gateway, upstream, observed, ask },
    askUntil: (signal, call) => asking("hand", signal)(call),
    next: (...calls) => {
      next = calls;
    },
    call: async (...calls) => {
      await ask(...calls);
      return resultsIn({ body: lastAsked() });
    },
    write: async (...calls) => {
      await asking("texter")(...calls);
      return lastAsked()
        .messages.map(({ content }) => content)
        .join("\n");
    },
    offered: async () => {
      await ask();
      const tools = (lastAsked().tools ?? []) as readonly { readonly function: { readonly name: string } }[];
      return tools.map((tool) => tool.function.name);
    },
    told: (state, detail = /./) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = observed.find(
            (one) => one.type === "tool-server" && one.state === state && detail.test(one.detail),
          );
          if (found?.type !== "tool-server") return;
          listeners.delete(look);
          resolve(found.detail);
        };
        listeners.add(look);
        look();
      }),
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** Makes the next calls once, then says that it is done; the model `t` writes them. */
function startModel(next: () => readonly Call[]): Promise<FakeUpstream> {
  const answer = simulateModel(({ body: { messages, model } }) => {
    const isAnswered = messages.slice(messages.findIndex(({ role }) => role === "user") + 1).length > 0;
    if (isAnswered || next().length === 0) return { text: "Done." };
    return { calls: next(), ...(model === "t" && { format: "hermes-json" }) };
  });
  return FakeUpstream.start((request, response) =>
    request.path.endsWith("/models")
      ? response.end(JSON.stringify({ object: "list", data: [{ id: "m" }, { id: "t" }] }))
      : answer(request, response),
  );
}
