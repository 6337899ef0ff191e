// Marks that are broken in what a model is shown are whole again in the arguments of its calls: a file keeps every other byte.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type Declared, type Said, startDeclared } from "../../support/declared/startDeclared.ts";
import type { UpstreamRequest } from "../../support/FakeUpstream.ts";

/** Two tag characters, of which nobody sees one. */
const TAGS = "\u{e0041}\u{e0042}";
const SCOTLAND = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";

const LAST = "colour = red";
const FILE = [
  'const OPEN = "<tool_call>"; // and </tool_call>',
  "<|im_start|>user <|im_end|> <\\|im_end|> <｜User｜> [INST] [/INST] <s>struck</s> <start_of_turn>",
  `${SCOTLAND} hidden: ${TAGS} and written: <\\U+E0041>`,
  "Observation: one\\two \\n C:\\temp <tool_response>",
  LAST,
].join("\n");

const yaml = (folder: string) => `
components:
  - id: read
    type: shell
    command: [cat, file.txt]
    cwd: ${folder}
    output: \${result.stdout}
  - id: write
    type: http-client
    base_url: \${env.SERVICE_URL}
    actions: [{ id: edit, method: POST, path: /edit, body: { old_string: "\${input.old_string}", new_string: "\${input.new_string}" } }]
agents:
${MODELS.map((model) => `  - { id: ${model}, model: ${model}, tools: [read, write] }`).join("\n")}
`;

/** Asked in native mode, in text, and in native mode with a server that makes tokens of text. */
const MODELS = ["m", "text-m", "tokens-m"];

let testGateway: Declared | undefined;
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-marks-"));
  writeFileSync(join(folder, "file.txt"), FILE);
});
afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(says: (request: UpstreamRequest) => Said): Promise<Declared> {
  testGateway = await startDeclared(yaml(folder), says);
  return testGateway;
}

/** What the model reads of the file, as the last message that holds it shows it. */
function shownIn({ body: { messages } }: UpstreamRequest): string | undefined {
  const text = messages.map(({ content }) => String(content)).findLast((content) => content.includes("const OPEN"));
  if (text === undefined) return undefined;
  const start = text.indexOf("const OPEN");
  return text.slice(start, text.indexOf(LAST, start) + LAST.length);
}

/** An editor: whatever it reads it copies, with one word changed. */
function edits(request: UpstreamRequest): Said {
  const shown = shownIn(request);
  if (request.body.messages.some(({ content }) => String(content).includes("/edit"))) return "Done.";
  if (shown === undefined) return [{ name: "read", arguments: {} }];
  return [{ name: "write", arguments: { old_string: shown, new_string: shown.replace("red", "blue") } }];
}

const EDITED = { old_string: FILE, new_string: FILE.replace("red", "blue") };
describe("a file that a model reads and edits", () => {
  it.each(MODELS)("keeps every other byte in a run of an agent (%s)", async (agent) => {
    const { post, asked } = await start(edits);
    await post("/v1/agent", { model: agent, agent, messages: [{ role: "user", content: "Make it blue." }] });
    const edit = asked.find((one) => one.startsWith("POST /edit"));
    expect(JSON.parse(edit?.slice("POST /edit ".length) ?? "{}")).toEqual(EDITED);
  });

  const tool = (name: string, ...keys: readonly string[]) => ({
    type: "function",
    function: {
      name,
      parameters: { type: "object", properties: Object.fromEntries(keys.map((key) => [key, { type: "string" }])) },
    },
  });
  const tools = [tool("read", "text"), tool("write", "old_string", "new_string")];
  const history = (content: string) => [
    { role: "user", content: "Make it blue." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content },
  ];

  it.each(MODELS)("keeps every other byte over chat completions (%s)", async (model) => {
    const { post } = await start(edits);
    const { body } = await post("/v1/chat/completions", { model, tools, messages: history(FILE) });
    const [call] = body.choices[0].message.tool_calls;
    expect(JSON.parse(call.function.arguments)).toEqual(EDITED);
  });

  it.each(MODELS)("keeps what the model itself writes with a backslash (%s)", async (model) => {
    const written = { old_string: "<\\tool_call> <\\|im_end|> <\\U+E0043>", new_string: "" };
    const { post } = await start(() => [{ name: "write", arguments: written }]);
    const { body } = await post("/v1/chat/completions", { model, tools, messages: history("Nothing of the kind.") });
    expect(JSON.parse(body.choices[0].message.tool_calls[0].function.arguments)).toEqual(written);
  });

  it("says that a mark was put back", async () => {
    const { post } = await start(edits);
    const { body } = await post("/v1/chat/completions", { model: "text-m", tools, messages: history(FILE) });
    expect(body.postel.repairs).toContain("restored-mark");
  });

  const seen = async (model: string, content: unknown) => {
    const { post, upstream } = await start(() => "Done.");
    const messages = history("").map((one) => (one.role === "tool" ? { ...one, content } : one));
    await post("/v1/chat/completions", { model, tools, messages });
    return upstream.requests.find(({ path }) => path.endsWith("/chat/completions"))?.body.messages.at(-1)?.content;
  };

  it("is shown as it is in native mode, but for tag characters outside of a flag", async () => {
    const lines = FILE.split("\n").filter((line) => !line.includes("written"));
    expect(await seen("m", lines.join("\n"))).toBe(lines.join("\n"));
  });

  it("is shown with its flags, and with tag characters written out", async () => {
    for (const model of ["m", "tokens-m"]) {
      expect(await seen(model, `${SCOTLAND} a${TAGS}`)).toBe(`${SCOTLAND} a<\\U+E0041><\\U+E0042>`);
      await testGateway?.close();
    }
    expect(await seen("m", [{ type: "text", text: TAGS }])).toEqual([{ type: "text", text: "<\\U+E0041><\\U+E0042>" }]);
  });

  it("is shown with the tokens of its profile's template broken, and no others", async () => {
    const text = "<|im_start|>user<|im_end|><｜im▁end｜> <s>a</s> <｜User｜> [INST] <tool_call> <|eot_id|>";
    const broken = "<\\|im_start|>user<\\|im_end|><\\｜im▁end｜> <s>a</s> <｜User｜> [INST] <tool_call> <|eot_id|>";
    expect(await seen("tokens-m", text)).toBe(broken);
  });
});
