// Runs of declared agents, replayed in nine chunkings without a process and without a socket; each is told from a gateway that breaks one rule.
import childProcess from "node:child_process";
import { readFileSync } from "node:fs";
import net from "node:net";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import type { ToolCall } from "../../../src/core/messages.ts";
import type { RunState } from "../../../src/core/runs/RunState.ts";

const FOLDER = resolve("fixtures/scenarios");
const SCENARIOS = [
  "calculation",
  "files",
  "form",
  "desk",
  "looping",
  "silent",
  "retrieval",
  "research",
  "order",
  "chain",
] as const;
type Scenario = (typeof SCENARIOS)[number];

/** Where the replay comes out otherwise than it did when it was recorded; the modules are loaded anew, as they are mocked by then. */
async function differences(scenario: Scenario): Promise<readonly string[]> {
  const { readConfig } = await import("../../../src/gateway/createGateway.ts");
  const { findReplayDifferences } = await import("../../../src/cli/replay/replayDifferences.ts");
  const { parseTranscript } = await import("../../../src/transcripts/format/Transcript.ts");
  const file = join(FOLDER, `${scenario}.jsonl`);
  const config = readConfig({ file: join(FOLDER, "postel.yaml"), modelsFile: resolve("config/models.yaml"), env: {} });
  return findReplayDifferences(config, parseTranscript(readFileSync(file, "utf8"), file));
}

afterEach(() => {
  jest.resetModules();
  jest.restoreAllMocks();
});

describe("a recorded run of a declared agent", () => {
  it.each(SCENARIOS)("%s replays at every chunking, and starts no process and opens no socket", async (scenario) => {
    const spawn = jest.spyOn(childProcess, "spawn");
    const connect = jest.spyOn(net.Socket.prototype, "connect");
    expect(await differences(scenario)).toEqual([]);
    expect([spawn.mock.calls.length, connect.mock.calls.length]).toEqual([0, 0]);
  });
});

interface Broken {
  readonly rule: string;
  /** Whose exports others stand in for. */
  readonly module: string;
  // biome-ignore lint/suspicious/noExplicitAny: a module as it is, of whatever exports.
  readonly instead: (own: any) => object;
}

/** The rule without which each run would have gone otherwise, and a gateway that breaks it. */
const BROKEN: Readonly<Record<Scenario, Broken>> = {
  calculation: {
    rule: "a tool that is called is run",
    module: "tools/execution/executeToolCall.ts",
    instead: () => ({
      executeToolCall: async ({ id, name }: ToolCall) => ({ callId: id, name, content: "400", isError: false }),
    }),
  },
  files: {
    rule: "a value is one word of a command",
    module: "tools/shell/fillCommand.ts",
    instead: ({ fillCommand }) => ({
      fillCommand: (...given: unknown[]) => {
        const { argv, ...rest } = fillCommand(...given);
        return { ...rest, argv: argv.flatMap((word: string) => word.split(" ")) };
      },
    }),
  },
  form: {
    rule: "what is read out of a run fits its schema",
    module: "formats/answers/OutputNormalizer.ts",
    instead: () => ({
      OutputNormalizer: class {
        normalize = (text: string) => ({ type: "ok", text, repairs: [] });
      },
    }),
  },
  desk: {
    rule: "whoever a conversation is handed to goes on with a prompt and tools of its own",
    module: "agents/nested/Handoffs.ts",
    instead: () => ({ handOffTo: (state: RunState) => ({ state }) }),
  },
  looping: {
    rule: "a model that only repeats itself is stopped",
    module: "agents/run/detectRepeats.ts",
    instead: () => ({ countRepeats: () => 0, countCircle: () => 0 }),
  },
  silent: {
    rule: "an answer that had to call a tool and did not is no answer",
    module: "agents/attempt/toolChoiceRules.ts",
    instead: () => ({ findMissingCall: () => undefined }),
  },
  retrieval: {
    rule: "what results rest on is named with the answer",
    module: "tools/execution/extractCitations.ts",
    instead: () => ({ parseCitations: () => [] }),
  },
  research: {
    rule: "a model reads what a server's tool says, and not how that was packed",
    module: "tools/mcp/readCallResult.ts",
    instead: () => ({ readCallResult: (result: object) => JSON.stringify(result) }),
  },
  order: {
    rule: "an operation that does more than read waits for a person",
    module: "agents/approvals/approvalNeed.ts",
    instead: () => ({ findApprovalNeed: () => undefined }),
  },
  chain: {
    rule: "what a page says is read out of it, and its markup is not",
    module: "tools/web/pageText.ts",
    instead: () => ({ formatPage: () => "<p>" }),
  },
};

describe("a gateway that breaks one rule", () => {
  it.each(SCENARIOS.map((scenario) => [BROKEN[scenario].rule, scenario] as const))(
    "%s: is told by the replay of %s",
    async (_rule, scenario) => {
      const { module, instead } = BROKEN[scenario];
      const path = resolve("src", module);
      const own = (await import(path)) as object;
      jest.resetModules();
      jest.unstable_mockModule(path, () => ({ ...own, ...instead(own as never) }));
      expect((await differences(scenario)).join("\n")).not.toBe("");
    },
  );
});
