// A gateway that is started from a YAML file with a document beside it, before the shop that the document describes and a model that makes calls.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ChatCompletion } from "openai/resources";
import { collectSecrets } from "../../../src/config/load/collectSecrets.ts";
import type { Config } from "../../../src/core/config/configuration.ts";
import { createLogger } from "../../../src/telemetry/createLogger.ts";
import { LogObserver } from "../../../src/telemetry/LogObserver.ts";
import { createRedact } from "../../../src/telemetry/redaction/createRedact.ts";
import { FakeUpstream } from "../FakeUpstream.ts";
import { type Samovar, startSamovar } from "../servers/samovarServer.ts";
import { resultsIn, simulateModel } from "../simulateModel.ts";
import { configOf, type RunningGateway, startGateway } from "../startGateway.ts";

export const SAMOVAR = resolve("test/fixtures/openapi/samovar.yaml");

export type Call = readonly [tool: string, args: object];

export interface Shop {
  readonly folder: string;
  readonly config: Config;
  readonly gateway: RunningGateway;
  readonly model: FakeUpstream;
  readonly shop: Samovar;
  /** What was logged, at the level that says most. */
  readonly logged: () => string;
  /** Has the model make these calls in one turn. */
  ask(calls: readonly Call[], fields?: object): Promise<ChatCompletion>;
  /** As `ask`; what the model then reads of each, in their order. */
  call(...calls: readonly Call[]): Promise<readonly string[]>;
  /** All that a folder of its own holds, as text. */
  kept(name: string): string;
  /** Ends the gateway, so that all it has to write is written. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** @param yaml where `SHOP_URL` stands for the shop, and `samovar.yaml` for its document. @param changed what is otherwise in that. */
export async function startShop(
  yaml: string,
  env: Readonly<Record<string, string>> = {},
  changed: (document: string) => string = (document) => document,
): Promise<Shop> {
  const folder = mkdtempSync(join(tmpdir(), "postel-openapi-"));
  const shop = await startSamovar();
  const model = await startModel();
  writeFileSync(join(folder, "samovar.yaml"), changed(readFileSync(SAMOVAR, "utf8")));
  const store = `store: { file: ${join(folder, "kept.db")} }\n`;
  const text = `upstreams: [{ id: up, base_url: "${model.baseUrl}" }]\nretries: { attempts: 1 }\n${store}${yaml}`;
  let stop = async (): Promise<void> => {};
  const close = async (): Promise<void> => {
    await stop();
    await model.close();
    await shop.close();
    rmSync(folder, { recursive: true });
  };
  let logged = "";
  try {
    const config = configOf(text, { ...env, SHOP_URL: shop.url }, folder);
    const write = (line: string): void => {
      logged += line;
    };
    const logger = createLogger({
      level: "debug",
      redact: createRedact(collectSecrets(config)),
      destination: { write },
    });
    const gateway = await startGateway({
      config,
      observer: new LogObserver(logger),
      recordTo: join(folder, "recorded"),
    });
    let stopped: Promise<void> | undefined;
    stop = () => {
      stopped ??= gateway.close();
      return stopped;
    };
    const ask = async (calls: readonly Call[], fields: object = {}): Promise<ChatCompletion> =>
      await gateway.client("/v1/agent").chat.completions.create({
        model: "buyer",
        messages: [{ role: "user", content: JSON.stringify(calls) }],
        ...fields,
      });
    return {
      ...{ folder, config, gateway, model, shop, ask, stop, close },
      logged: () => logged,
      call: async (...calls) => {
        await ask(calls);
        const last = model.requests.at(-1);
        return last ? resultsIn(last) : [];
      },
      kept: (name) =>
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((one) => one.isFile() && join(one.parentPath, one.name).startsWith(join(folder, name)))
          .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"))
          .join("\n"),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes the calls that its user writes as JSON, where it is asked by tools; says "Done." when it has their results. */
function startModel(): Promise<FakeUpstream> {
  return FakeUpstream.start(
    simulateModel(({ body }) => {
      const last = body.messages.at(-1);
      // A picture is shown in a message of the user's own, in parts.
      if (!body.tools || last?.role !== "user" || typeof last.content !== "string") return { text: "Done." };
      return { calls: (JSON.parse(last.content) as Call[]).map(([name, args]) => ({ name, arguments: args })) };
    }),
  );
}
