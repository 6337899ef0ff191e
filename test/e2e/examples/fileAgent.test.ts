// file-agent.yaml, as it is, before models of every manner: each cell shows the file on the disk, and how the run ended.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { type Manner, ModelServer, type Script } from "../../support/examples/ModelServer.ts";
import { runWorkflow, startExample } from "../../support/examples/startExample.ts";
import { readConfig } from "../../support/gatewayModules.ts";

// Each cell starts a process, on a machine that may be busy.

const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function opened<One extends { close(): Promise<void> | void }>(one: One): One {
  open.push(one);
  return one;
}

const MANNERS: readonly Manner[] = ["native", "leaks-json", "leaks-xml", "refuses", "drops"];
const WAYS = [false, true];

describe("file-agent.yaml", () => {
  const CONTENT = `it's "quoted"; $(touch pwned)\nand \`touch pwned\` 'too' ; touch pwned`;
  const script: Script = {
    steps: [
      { name: "file-writer", arguments: { file_path: "notes.txt", content: CONTENT } },
      { name: "file-reader", arguments: { file_path: "notes.txt" } },
      "It is written.",
    ],
    sign: "file_path",
  };

  function workspace(): string {
    const folder = mkdtempSync(join(tmpdir(), "postel-workspace-"));
    opened({ close: () => rmSync(folder, { recursive: true }) });
    return folder;
  }

  it.each(MANNERS)("writes and reads a file with a model whose server %s", async (manner) => {
    const model = opened(await ModelServer.start("chat", manner, () => script));
    const folder = workspace();
    const { url } = opened(await startExample("file-agent", { VLLM_BASE_URL: model.baseUrl, WORKSPACE: folder }));
    for (const stream of WAYS) {
      writeFileSync(join(folder, "notes.txt"), "nothing yet");
      const { status, body } = await runWorkflow(url, "default", { task: "Write my notes." }, stream);
      expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe(CONTENT);
      expect(existsSync(join(folder, "pwned"))).toBe(false);
      expect([status, body.outcome, body.response, body.iterations]).toEqual([200, "answered", "It is written.", 3]);
    }
    expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain("touch pwned");
  });

  it("is refused where the writer that splices a value into a shell string is put in, with the safe form", () => {
    const file = join(workspace(), "postel.yaml");
    const commented = readFileSync("test/fixtures/examples/file-agent.yaml", "utf8");
    writeFileSync(file, commented.replace(/^ {2}# (- id| {2})/gm, "  $1"));
    const env = { WORKSPACE: dirname(file) };
    const load = () => readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
    expect(load).toThrow(/postel\.yaml:\d+:\d+ components\.2\.command/);
    expect(load).toThrow(/stdin/);
  });
});
