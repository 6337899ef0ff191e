// A gateway that is started from a YAML file with shell components, before a model that makes calls.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatCompletion } from "openai/resources";
import type { Config } from "../../../src/core/config/configuration.ts";
import { FakeUpstream } from "../FakeUpstream.ts";
import { type SimulatedCall as Call, callOnce, resultsIn } from "../simulateModel.ts";
import { configOf as configOfYaml, type RunningGateway, startGateway } from "../startGateway.ts";

/** A folder with a `workspace` in it, which the commands run in, and what lies outside of that. */
export interface Place {
  readonly folder: string;
  readonly workspace: string;
  remove(): void;
}

export function makePlace(): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "postel-shell-")));
  const workspace = join(folder, "inner", "workspace");
  mkdirSync(workspace, { recursive: true });
  return { folder, workspace, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The configuration of a file with these components, an agent `hand` of all their tools, and a model at `url`. */
export function configOf(place: Place, components: string, { url = "http://127.0.0.1:9/v1", env = {} } = {}): Config {
  const ids = [...components.matchAll(/^ {2}- id: ([\w-]+)/gm)].map(([, id]) => id);
  const yaml = `upstreams: [{ id: fake, base_url: "${url}" }]
retries: { attempts: 1 }
agents: [{ id: hand, model: m, tools: [${ids.join(", ")}] }]
components:
${components}`;
  return configOfYaml(yaml, { PATH: process.env.PATH, WORKSPACE: place.workspace, ...env }, place.folder);
}

export interface Shell {
  readonly gateway: RunningGateway;
  readonly upstream: FakeUpstream;
  /** Has the model make these calls in one turn; what its client is answered. */
  ask(...calls: readonly Call[]): Promise<ChatCompletion>;
  /** As `ask`; what the model then reads of each, in their order. */
  call(...calls: readonly Call[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The model calls natively. */
export async function startShell(
  place: Place,
  components: string,
  options: { env?: Record<string, string>; recordTo?: string } = {},
): Promise<Shell> {
  let next: readonly Call[] = [];
  const upstream = await FakeUpstream.start(callOnce(() => next));
  const config = configOf(place, components, { url: upstream.baseUrl, env: options.env ?? {} });
  const gateway = await startGateway({ config, recordTo: options.recordTo });
  const ask = async (...calls: readonly Call[]): Promise<ChatCompletion> => {
    next = calls;
    const messages = [{ role: "user" as const, content: "Go." }];
    return await gateway.client("/v1/agent").chat.completions.create({ model: "hand", messages });
  };
  return {
    gateway,
    upstream,
    ask,
    call: async (...calls) => {
      await ask(...calls);
      const last = upstream.requests.at(-1);
      if (!last) throw new Error("The model was not asked.");
      return resultsIn(last);
    },
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}

export const FILES = `
  - id: file-reader
    type: shell
    description: Read a text file of the workspace.
    command: ["cat", "--", "\${input.file_path}"]
    params:
      file_path: { type: string, format: path, description: Path inside the workspace. }
    cwd: \${env.WORKSPACE}
    output: \${result.stdout}
  - id: file-writer
    type: shell
    description: Write a text file of the workspace.
    command: ["tee", "--", "\${input.file_path}"]
    params:
      file_path: { type: string, format: path, description: Path inside the workspace. }
    stdin: \${input.content}
    cwd: \${env.WORKSPACE}
    output: \${result.exit_code}
`;
