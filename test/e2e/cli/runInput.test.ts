// What `--input` says: pairs, objects and files, held to what the agent takes.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { resolveActionInput } from "../../../src/cli/options/inputSchema.ts";
import { parseInput } from "../../../src/cli/options/parseInput.ts";
import { runPostel } from "../../support/cli/runPostel.ts";
import { FakeUpstream, sendText } from "../../support/FakeUpstream.ts";

let folder: string;
let upstream: FakeUpstream;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-input-"));
  upstream = await FakeUpstream.start((_request, response) => sendText(response, "Done."));
  writeFileSync(
    join(folder, "postel.yaml"),
    `
upstreams: [{ id: up, base_url: "${upstream.baseUrl}" }]
agents:
  - { id: plain, model: m }
  - { id: clerk, model: m, inputs: { type: object, properties: { id: { type: string }, days: { type: integer } } } }
`,
  );
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true });
});

const inputs = {
  type: "object",
  properties: {
    id: { type: "string" },
    days: { type: "integer" },
    open: { type: "boolean" },
    tags: { type: "array" },
    limit: { type: ["number", "null"] },
    note: { type: ["string", "null"] },
    any: {},
  },
};
const CLERK = resolveActionInput({ id: "clerk" }, { course: { inputs } });

describe("a pair", () => {
  it("is text, unless the schema of its name wants something else", () => {
    const pairs = [
      "id=007",
      "days=7",
      "open=true",
      'tags=["a", "b"]',
      "limit=null",
      "note=null",
      "any=1",
      "__proto__=x",
    ];
    const input = parseInput(pairs, { ...CLERK, others: true });
    expect(JSON.parse(JSON.stringify(input))).toEqual(
      JSON.parse(
        '{"id": "007", "days": 7, "open": true, "tags": ["a", "b"], "limit": null, "note": "null", "any": "1", "__proto__": "x"}',
      ),
    );
  });

  it("may hold any text, signs of equality and line breaks too, or none", () => {
    expect(parseInput(["id=a=b\n c", "note="], CLERK)).toEqual({ id: "a=b\n c", note: "" });
  });

  it.each([
    [["idd=7"], /the agent clerk takes no idd; it takes id \(string\), days \(integer\)/],
    [["toString=7"], /takes no toString/],
    [["days=soon"], /takes days as integer, written as JSON; soon is none/],
    [["id=1", "id=2"], /id is given twice/],
    [["id=1", '{"id": "2"}'], /id is given twice/],
    [["id"], /expected name=value, a JSON object or @file/],
    [["{id: 1}"], /expected a JSON object/],
    [["@/nowhere/input.json"], /the file \/nowhere\/input\.json cannot be read/],
  ])("is refused where it cannot be meant so: %j", (given, message) => {
    expect(() => parseInput(given, CLERK)).toThrow(message);
  });

  it("may have any name where the agent says none, and those of its placeholders where it has a task", () => {
    const task = "Where is ${input.id | 7}?";
    expect(parseInput(["x=1"], resolveActionInput({ id: "a" }, {}))).toEqual({ x: "1" });
    expect(parseInput(["id=1"], resolveActionInput({ id: "a" }, { task }))).toEqual({ id: 1 });
    expect(() => parseInput(["x=1"], resolveActionInput({ id: "a" }, { task }))).toThrow("it takes id (number)");
    expect(parseInput(["x=1"], resolveActionInput({ id: "a" }, { task, context: "${input}" }))).toEqual({ x: "1" });
  });
});

describe("postel run", () => {
  const run = (args: readonly string[], input = "") =>
    runPostel(["run", ...args, "--config", join(folder, "postel.yaml")], input);
  const said = () => upstream.requests.at(-1)?.body.messages.at(-1)?.content;

  it("puts pairs, objects and files together", async () => {
    const file = join(folder, "input.json");
    writeFileSync(file, '{"list": [1, 2]}');
    const args = ["--agent", "plain", "--input", "a=b", "--input", '{"c": 1}', "--input", `@${file}`];
    expect((await run(args)).status).toBe(0);
    expect(said()).toBe('Input: {"a":"b","c":1,"list":[1,2]}');
  });

  it("holds a pair to the schema of the agent's inputs", async () => {
    expect((await run(["Find it", "--agent", "clerk", "--input", "id=7", "--input", "days=2"])).status).toBe(0);
    expect(said()).toBe('Task: Find it\n\nInput: {"id":"7","days":2}');
    const asked = upstream.requests.length;
    const { status, err } = await run(["--agent", "clerk", "--input", "dayz=2"]);
    expect([status, upstream.requests.length]).toEqual([1, asked]);
    expect(err).toContain("the agent clerk takes no dayz; it takes id (string), days (integer)");
  });

  it("reads its task from standard input, whole, and refuses an empty one", async () => {
    expect((await run(["-", "--agent", "plain"], "Sum this:\n1\n2\n")).status).toBe(0);
    expect(said()).toBe("Sum this:\n1\n2");
    expect(await run(["-", "--agent", "plain"], "\n")).toMatchObject({
      status: 1,
      err: expect.stringContaining("holds no task"),
    });
  });
});
