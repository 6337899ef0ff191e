// A gateway's runs as a process of their own, told on standard input what to do, a line of JSON each. Started by RunProcess.

import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { CALLER_RIGHTS, type Caller } from "../../../src/core/requests.ts";
import type { Decision } from "../../../src/core/runs/interrupts.ts";
import { openServices } from "../../../src/gateway/openServices.ts";
import { readConfig } from "../../../src/gateway/readConfig.ts";

export type Command =
  | { readonly do: "start"; readonly id: string; readonly text: string }
  | { readonly do: "record" | "interrupts"; readonly id: string }
  | { readonly do: "decide"; readonly id: string; readonly decision: Decision; readonly by?: string };

const [file = ""] = process.argv.slice(2);
const config = readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} });
const testGateway = await openServices(config, { observers: [] });
testGateway.runs.startBackgroundRuns();

const OWNER: Caller = { name: "local", can: CALLER_RIGHTS };

async function obey(command: Command): Promise<unknown> {
  const { runs } = testGateway;
  const key = { owner: OWNER.name, id: command.id };
  switch (command.do) {
    case "start": {
      const messages = [{ role: "user", content: command.text }] as const;
      const rest = {
        tools: [],
        toolChoice: { type: "auto" },
        sampling: {},
        output: { type: "text" },
        passthrough: {},
      } as const;
      const chat = { id: command.id, caller: OWNER, model: "worker", messages, ...rest };
      return runs.start({ chat, interactive: true });
    }
    case "record":
      return runs.record(key);
    case "interrupts":
      return testGateway.store.interrupts.ofRun(key);
    case "decide": {
      const by = { ...OWNER, name: command.by ?? OWNER.name };
      return runs.decide(by.name, command.id, command.decision, by);
    }
  }
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await obey(JSON.parse(line)).then(
    (value) => ({ value }),
    (error) => ({ failure: error.failure ?? String(error) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
