// Programs as tools, driven from outside: a YAML file, the gateway over HTTP, real child processes.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { FILES, makePlace, type Place, type Shell, startShell } from "../../support/shell/shellGateway.ts";

let place: Place;
let shell: Shell | undefined;
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await shell?.close();
  shell = undefined;
  place.remove();
});

const TRICKY = "a 'quote' \"and\" $(touch x) `touch y`\nline\t\\ %s ; é 漢 🙂";

describe("the tools of a folder", () => {
  it("write whatever the content holds, and read it back", async () => {
    shell = await startShell(place, FILES);
    const write = { name: "file-writer", arguments: { file_path: "notes.txt", content: TRICKY } };
    expect(await shell.call(write)).toEqual(["0"]);
    expect(readFileSync(join(place.workspace, "notes.txt"), "utf8")).toBe(TRICKY);
    expect(await shell.call({ name: "file-reader", arguments: { file_path: "notes.txt" } })).toEqual([TRICKY]);
    expect(existsSync(join(place.workspace, "x"))).toBe(false);
  });
});

/** What a tool of this script brings: the test's own, outside of the folder. */
async function resultOf(script: string, lines = "", env: Record<string, string> = {}): Promise<string> {
  writeFileSync(join(place.folder, "script.sh"), script);
  const tool = `
  - id: tool
    type: shell
    command: [sh, ${place.folder}/script.sh, "\${input.x | none}"]
    cwd: \${env.WORKSPACE}
${lines}`;
  shell = await startShell(place, tool, { env });
  const [result = ""] = await shell.call({ name: "tool", arguments: {} });
  return result;
}

describe("the result of a program", () => {
  it("is all of it where nothing else is said", async () => {
    const all = { stdout: "none\n", stderr: "hm\n", exit_code: 0 };
    expect(JSON.parse(await resultOf("echo $1; echo hm >&2"))).toEqual(all);
  });

  it("that failed has the exit code and both outputs, for the model to read", async () => {
    const result = await resultOf("echo half; echo wrong >&2; exit 7", "    output: ${result.stdout}\n");
    expect(result).toMatch(/^Error: the program ended with exit code 7\.\nstderr: wrong\n\nstdout: half\n/);
  });

  it("that took too long says so, with what there was", async () => {
    const result = await resultOf("echo begun; sleep 60", "    timeout_ms: 400\n");
    expect(result).toMatch(/^Error: the program took longer than 400 ms and was stopped.*\n.*\nstdout: begun/);
  });

  it("that would not end says that it was cut (CT-011)", async () => {
    const result = await resultOf("yes");
    expect(result).toMatch(
      /^Error: the program wrote more than 1048576 bytes and was stopped; the output is truncated/,
    );
    expect(result).toMatch(/stdout: y\ny\n/);
    expect(result.length).toBeLessThan(11_000);
  });

  it("of one that waits for input comes, since there is none (CT-012)", async () => {
    expect(await resultOf("cat", "    output: ${result.stdout}\n")).toBe("");
  });

  it("never holds what is passed on under the name of a secret", async () => {
    const env = { API_TOKEN: "tok-4711-abcdef", PLAIN: "plain" };
    const result = await resultOf("echo $API_TOKEN $PLAIN $HOME", "    env: [API_TOKEN, PLAIN]\n", env);
    expect(JSON.parse(result)).toMatchObject({ stdout: "[redacted] plain\n" });
  });

  it("is asked about where it fits a need, whatever the exit code", async () => {
    const needs = `    interrupts:
      too_many: { when: { properties: { exit_code: { const: 3 } } }, message: Which one? }
`;
    await resultOf("exit $1", needs);
    const answer = await shell?.ask({ name: "tool", arguments: { x: "3" } });
    expect(answer?.choices[0]?.finish_reason).toBe("tool_calls");
    expect(JSON.stringify(answer?.choices[0]?.message.tool_calls)).toContain("Which one?");
  });
});

describe("a command that would destroy", () => {
  const REMOVER = `
  - id: remover
    type: shell
    command: [rm, -r, --, "\${input.path}"]
    params: { path: { type: string, format: path } }
    cwd: \${env.WORKSPACE}
    approval: never
`;

  it("waits for a person, who reads the words that would run", async () => {
    mkdirSync(join(place.workspace, "old things"));
    shell = await startShell(place, REMOVER);
    const answer = await shell.ask({ name: "remover", arguments: { path: "old things" } });
    const asked = JSON.stringify(answer.choices[0]?.message.tool_calls);
    expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
    expect(asked).toContain("May remover run this command?");
    expect(asked).toMatch(/rm -r -- .*old things/);
    expect(asked).toContain("would delete whatever lies below");
    expect(existsSync(join(place.workspace, "old things"))).toBe(true);
  });

  it("with arguments that its tool would refuse brings the refusal at once", async () => {
    shell = await startShell(place, REMOVER);
    const [result] = await shell.call({ name: "remover", arguments: { path: "../inner" } });
    expect(result).toMatch(/must be a relative path/);
  });
});
