// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { callDanger } from "../../../src/tools/risk/assessCall.ts";
import type { Tool } from "../../../src/tools/Tool.ts";
import { runPostel } from "../../support/cli/runPostel.ts";

const PARAMETERS = {
  type: "object",
  properties: { line: { type: "string", format: "command" }, sql: { type: "string", format: "sql" } },
};

function tool(danger: Tool["danger"]): Tool {
  return { spec: { name: "run", parameters: PARAMETERS }, danger, execute: async () => "done" };
}

describe("callDanger", () => {
  it("asks for nothing under `off`", () => {
    expect(callDanger(tool("off"), { line: "rm -rf x", sql: "DROP TABLE x" })).toBeUndefined();
  });

  it("asks for what is dangerous under `on`, and by default", () => {
    for (const policy of ["on", undefined] as const) {
      expect(callDanger(tool(policy), { line: "rm -rf x" })).toMatchObject({ rule: "delete" });
      expect(callDanger(tool(policy), { line: "npm test" })).toBeUndefined();
    }
  });

  it("asks for every command that is not known to only read under `strict`, and judges SQL as before", () => {
    expect(callDanger(tool("strict"), { line: "npm test" })).toMatchObject({ rule: "unknown" });
    expect(callDanger(tool("strict"), { line: "git log -5", sql: "SELECT 1" })).toBeUndefined();
    expect(callDanger(tool("strict"), { sql: "DROP TABLE x" })).toMatchObject({ rule: "drop" });
  });

  it("judges the command that a tool would run by the same policy", () => {
    const runs = (danger: Tool["danger"]): Tool => ({
      ...tool(danger),
      command: () => ({ argv: ["cp", "a", "b"], shown: "cp a b" }),
    });
    expect(callDanger(runs("on"), {})).toBeUndefined();
    expect(callDanger(runs("strict"), {})).toMatchObject({ rule: "unknown" });
  });
});

describe("`danger` in a configuration", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "policy-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function write(top: string, component: string, entry: string): string {
    const file = join(folder, "postel.yaml");
    writeFileSync(
      file,
      `
upstreams: [{ id: up, base_url: "http://127.0.0.1:1" }]
${top}
components:
  - { id: copy, type: shell, command: [cp, --, "\${input.x}", kept]${component} }
agents:
  - { id: ops, model: m, tools: [{ tool: copy${entry} }] }
`,
    );
    return file;
  }

  it.each([
    ["", "", "", undefined],
    ["danger: strict", "", "", "strict"],
    ["danger: off", "", "", "off"],
    ["danger: off", ", danger: strict", "", "strict"],
    ["danger: strict", ", danger: off", ", danger: on", undefined],
    ["", "", ", danger: off", "off"],
  ])("is the nearest that is written: `%s`, component `%s`, entry `%s`", async (top, component, entry, danger) => {
    const config = write(top, component, entry);
    const { status, out } = await runPostel(["agent", "explain", "ops", "--json", "--config", config]);
    expect(status).toBe(0);
    expect(JSON.parse(out).tools).toEqual([
      { name: "copy", approval: "never", untrusted: true, ...(danger && { danger }) },
    ]);
  });

  it.each([
    ["danger: off", "", "", "all tools: `danger: off`"],
    ["", ", danger: off", "", "copy: `danger: off`"],
    ["", "", ", danger: off", "copy of ops: `danger: off`"],
  ])(
    "is named by `validate` where it is `off`: `%s`, component `%s`, entry `%s`",
    async (top, component, entry, line) => {
      const { out } = await runPostel(["validate", "--config", write(top, component, entry)]);
      expect(out).toContain(line);
    },
  );

  it("is not named by `validate` where it is not `off`", async () => {
    const { out } = await runPostel(["validate", "--config", write("danger: strict", "", "")]);
    expect(out).not.toContain("danger:");
  });

  it("is refused with another value", async () => {
    const { status, err } = await runPostel(["validate", "--config", write("danger: maybe", "", "")]);
    expect(status).toBe(1);
    expect(err).toMatch(/danger: .*off.*on.*strict/);
  });
});
