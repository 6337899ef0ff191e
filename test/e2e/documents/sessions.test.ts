// docs/guides/sessions-and-approvals.md as it is read: a gateway of its configuration, each `sh` block run in its order, each answer held against the block behind it.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { blocksOf, shown, variablesIn } from "../../support/pages.ts";
import { startGateway } from "../../support/startGateway.ts";

const run = promisify(execFile);

const CALL = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

it("docs/guides/sessions-and-approvals.md tells what happens", async () => {
  const upstream = await FakeUpstream.start(({ body: { messages = [] } = {} }, response) => {
    const last = messages.findLastIndex(({ role }) => role === "user");
    const asked = messages[last]?.content ?? "";
    const result = messages.slice(last + 1).find(({ role }) => role === "tool")?.content;
    const said = messages.map(({ content }) => content).join("\n");
    if (asked.includes("name is")) sendText(response, "Hello, Ada.");
    else if (asked.includes("my name")) sendText(response, said.includes("Ada") ? "You are Ada." : "Who knows?");
    else if (asked.includes("17"))
      sendText(
        response,
        result === undefined ? CALL("calculator", { expression: "17 * 23" }) : `17 times 23 is ${result}.`,
      );
    else if (result?.includes("Paris")) sendText(response, "A room in Paris is booked.");
    else sendText(response, CALL("ask_user", { question: "Which city?", options: ["Paris", "Rome"] }));
  });
  const folder = mkdtempSync(join(tmpdir(), "postel-sessions-"));
  const [yaml, ...blocks] = blocksOf(readFileSync("docs/guides/sessions-and-approvals.md", "utf8"));
  writeFileSync(join(folder, "postel.yaml"), yaml?.text ?? "");
  const env = { UPSTREAM_URL: upstream.baseUrl };
  const config = readConfig({ file: join(folder, "postel.yaml"), modelsFile: resolve("config/models.yaml"), env });
  const gateway = await startGateway({ config });
  try {
    let variables: Record<string, string> = {};
    let answer = "";
    for (const { language, text } of blocks) {
      if (language === "json") expect({ text, answer: JSON.parse(answer) }).toEqual({ text, answer: shown(text) });
      if (language !== "sh") continue;
      const script = text.replaceAll("http://127.0.0.1:7678", gateway.url);
      answer = (await run("bash", ["-euc", script], { env: { PATH: process.env.PATH, ...variables } })).stdout;
      if (answer.startsWith("{")) variables = { ...variables, ...variablesIn(answer) };
      else expect(answer).toMatch(/^id: 3\n[\s\S]*"outcome":"answered"/);
    }
    expect(blocks.filter(({ language }) => language === "sh").length).toBeGreaterThan(15);
  } finally {
    await gateway.close();
    await upstream.close();
    rmSync(folder, { recursive: true });
  }
});
