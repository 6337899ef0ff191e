// Runs the Python lines of the README with the `openai` package against a gateway with the recorded models.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { pythonWithClients } from "../../support/clients/pythonWithClients.ts";
import { blocksOf } from "../../support/pages.ts";
import { type RunningGateway, shippedConfig, startGateway } from "../../support/startGateway.ts";

const run = promisify(execFile);

describe("README.md", () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway({ config: shippedConfig() });
  });
  afterAll(() => gateway.close());

  it("has lines for Python that print the answer", async () => {
    const blocks = blocksOf(readFileSync("README.md", "utf8"));
    const block = blocks.find(({ language, text }) => language === "python" && text.includes("openai"));
    const script = (block?.text ?? "").replaceAll("http://127.0.0.1:7678", gateway.url);
    const { stdout } = await run(await pythonWithClients(), ["-c", script]);
    expect(stdout).toContain("A gateway is a program");
  }, 300_000);
});
