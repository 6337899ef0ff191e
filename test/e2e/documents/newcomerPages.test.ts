// Runs the blocks of the pages that a newcomer reads first, in their order, and compares each answer with the block after it.

import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { FakeUpstream } from "../../support/FakeUpstream.ts";
import { blocksOf, isShown, shown } from "../../support/pages.ts";
import { configFor, type RunningGateway, shippedConfig, startGateway } from "../../support/startGateway.ts";

const run = promisify(execFile);

/** Commands that install, do not end, or need a terminal. The commands themselves are tested in test/heavy and test/e2e/examples. */
const NOT_RUN = /^(?:npm install|npm start|npm run -s postel -- chat)/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-newcomer-"));
  const command = join(folder, "postel");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${resolve("src/main.ts")}" "$@"\n`);
  chmodSync(command, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a `sh` block against the gateway and returns its standard output. */
async function runBlock(text: string, url: string): Promise<string> {
  const script = text.replaceAll("http://127.0.0.1:7678", url).replaceAll("npm run -s postel --", "postel");
  const env = { HOME: folder, PATH: [folder, process.env.PATH].join(delimiter) };
  return (await run("bash", ["-euc", script], { cwd: folder, env })).stdout;
}

/** Runs the `sh` blocks of a page and compares the `json` or `text` block after each. Returns the number of comparisons. */
async function checkPage(page: string, url: string): Promise<number> {
  let compared = 0;
  let answer: string | undefined;
  for (const { language, text } of blocksOf(readFileSync(page, "utf8"))) {
    if (language === "sh") answer = NOT_RUN.test(text) ? undefined : await runBlock(text, url);
    else if (answer !== undefined) {
      if (language === "json") expect(JSON.parse(answer)).toEqual(shown(text));
      else expect({ answer, shown: isShown(answer, text) }).toEqual({ answer, shown: true });
      compared++;
      answer = undefined;
    }
  }
  return compared;
}

describe("pages about the recorded models", () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway({ config: shippedConfig() });
  });
  afterAll(() => gateway.close());

  it("docs/getting-started.md shows what its commands answer", async () => {
    expect(await checkPage("docs/getting-started.md", gateway.url)).toBe(3);
  });

  it("docs/guides/debugging-a-bad-answer.md shows what its commands answer", async () => {
    expect(await checkPage("docs/guides/debugging-a-bad-answer.md", gateway.url)).toBe(3);
  });

  describe("README.md", () => {
    const blocks = blocksOf(readFileSync("README.md", "utf8"));
    const find = (language: string, words: string) =>
      blocks.find((block) => block.language === language && block.text.includes(words))?.text ?? "";

    it("shows the answer to its curl command, and the text that the model wrote", async () => {
      const answer = JSON.parse(await runBlock(find("sh", "curl"), gateway.url));
      expect(answer.choices[0]).toEqual(shown(find("json", "tool_calls")));
      const raw = find("sh", "curl").replace("-d ", "-H 'x-postel-parse: off' -d ");
      const unread = JSON.parse(await runBlock(raw, gateway.url));
      expect(unread.choices[0].message.content.trim()).toBe(find("text", "function_calls").trim());
    });

    it("has lines for TypeScript that print the answer", async () => {
      const script = find("ts", "openai").replaceAll("http://127.0.0.1:7678", gateway.url);
      const { stdout } = await run(process.execPath, ["--input-type=module-typescript", "-e", script]);
      expect(stdout).toContain("A gateway is a program");
    });
  });
});

describe("docs/guides/local-model.md", () => {
  let upstream: FakeUpstream;
  let gateway: RunningGateway;
  beforeAll(async () => {
    const content = '<tool_call>{"name": "weather", "arguments": {"city":"Oslo"}}</tool_call>';
    const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
    upstream = await FakeUpstream.start(({ path }, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const isList = path.endsWith("/models");
      response.end(
        JSON.stringify(isList ? { object: "list", data: [{ id: "qwen3:8b", object: "model" }] } : { choices }),
      );
    });
    gateway = await startGateway({ config: configFor(upstream.baseUrl) });
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  it("shows what its commands answer", async () => {
    expect(await checkPage("docs/guides/local-model.md", gateway.url)).toBe(2);
  });
});
