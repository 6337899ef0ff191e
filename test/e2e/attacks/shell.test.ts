// Programs under attack, row by row of the hostile payloads, through a gateway that is started from a file: nothing runs that the file does not name.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { assessCall } from "../../../src/tools/risk/assessCall.ts";
import { idsOf, payload } from "../../support/adversarial/payloads.ts";
import { splicedCommand, wholeCommand } from "../../support/attacks/naiveTwins.ts";
import { FILES, makePlace, type Place, type Shell, startShell } from "../../support/shell/shellGateway.ts";

const TOOLS = `${FILES}
  - id: words
    type: shell
    command: [printf, "<%s>", "\${input.text}"]
    output: \${result.stdout}
  - id: search
    type: shell
    command: [grep, -rnF, --, "\${input.text}", .]
    cwd: \${env.WORKSPACE}
  - id: names
    type: shell
    command: [find, ., -name, "\${input.pattern}"]
    cwd: \${env.WORKSPACE}
  - id: sorted
    type: shell
    command: [sort, "\${input.file}"]
    cwd: \${env.WORKSPACE}
  - id: since
    type: shell
    command: [printf, "<%s>", "--since=\${input.date}"]
    output: \${result.stdout}
`;

let place: Place;
let shell: Shell;
let canary: string;
/** Connections that somebody made to the listening canary. */
let heard = 0;
let listener: Server;

beforeAll(async () => {
  place = makePlace();
  canary = join(place.folder, "canary");
  listener = createServer((socket) => {
    heard++;
    socket.destroy();
  });
  await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
  shell = await startShell(place, TOOLS);
});
afterEach(() => {
  heard = 0;
  rmSync(canary, { force: true });
});
afterAll(async () => {
  await shell.close();
  await new Promise((closed) => listener.close(closed));
  place.remove();
});

/** The row with its canary: a file, and instead a connection that somebody hears. */
function armed(id: string): readonly string[] {
  const text = payload(id);
  const { port } = listener.address() as AddressInfo;
  return [
    text.replaceAll("@@CANARY@@", canary),
    text.replaceAll("touch @@CANARY@@", `curl -s http://127.0.0.1:${port}/`).replaceAll("@@CANARY@@", canary),
  ];
}

/** Every tool with this value wherever a value may stand. */
function everywhere(value: string) {
  return [
    { name: "words", arguments: { text: value } },
    { name: "search", arguments: { text: value } },
    { name: "names", arguments: { pattern: value } },
    { name: "sorted", arguments: { file: value } },
    { name: "since", arguments: { date: value } },
    { name: "file-reader", arguments: { file_path: value } },
    { name: "file-writer", arguments: { file_path: "kept.txt", content: value } },
  ];
}

describe("a command as a value", () => {
  it("of every row is tested", () => {
    expect(idsOf("shell_bypass")).toHaveLength(26);
  });

  it.each(idsOf("shell_bypass"))("is one word to the program, byte for byte: %s", async (id) => {
    for (const value of armed(id)) {
      const results = await shell.call(...everywhere(value));
      expect(results[0]).toBe(`<${value}>`);
      expect(results[4]).toBe(`<--since=${value}>`);
      expect(results[6]).toBe("0");
      expect(readFileSync(join(place.workspace, "kept.txt"), "utf8")).toBe(value);
    }
    expect(existsSync(canary)).toBe(false);
    expect(heard).toBe(0);
    expect(readdirSync(place.workspace)).toEqual(["kept.txt"]);
    expect(readdirSync(place.folder).sort()).toEqual(["inner", "postel.yaml"]);
  });
});

describe("an argument", () => {
  it("that is a switch is refused where it would be one, and a value behind `--` and `--NAME=` (AV-003)", async () => {
    const [value = ""] = armed("AV-003");
    writeFileSync(join(place.workspace, "kept.txt"), "b\na\n");
    const results = await shell.call(...everywhere(value));
    for (const at of [0, 2, 3]) expect(results[at]).toMatch(/^Error: .*must not begin with `-`/);
    expect(results[1]).toMatch(/exit code 1/);
    expect(results[4]).toBe(`<--since=${value}>`);
    expect(existsSync(canary)).toBe(false);
  });

  it.each(["AV-007", "AV-012"])("that no program can be given is refused before anything starts (%s)", async (id) => {
    rmSync(join(place.workspace, "kept.txt"), { force: true });
    for (const result of await shell.call(...everywhere(payload(id)))) expect(result).toMatch(/^Error: /);
    expect(existsSync(join(place.workspace, "kept.txt"))).toBe(false);
  });

  it("of signs that a shell would act upon stays as it is (AV-010)", async () => {
    const value = payload("AV-010");
    const results = await shell.call(...everywhere(value));
    expect(results[0]).toBe(`<${value}>`);
    expect(readFileSync(join(place.workspace, "kept.txt"), "utf8")).toBe(value);
  });

  it("that is a number is its text", async () => {
    expect(await shell.call({ name: "since", arguments: { date: 7 } })).toEqual(["<--since=7>"]);
  });

  it("that is longer than a program can be given is refused, and one that is not is given", async () => {
    const results = await shell.call(
      { name: "words", arguments: { text: "x".repeat(131_072) } },
      { name: "since", arguments: { date: "x".repeat(120_000) } },
    );
    expect(results[0]).toMatch(/^Error: a value is longer than a program can be given/);
    expect(results[1]).toMatch(/^<--since=xxx/);
  });
});

/** A tool to which a model gives whole commands. */
const LINE = { parameters: { type: "object", properties: { line: { type: "string", format: "command" } } } };

describe("a whole command, which only another's tool takes", () => {
  it.each(["CT-003", "CT-004", "CT-008"])("%s waits for a person", (id) => {
    expect(assessCall(LINE, { line: payload(id) })?.reason).toMatch(/\S/);
  });

  it.each(["CT-003", "CT-004", "CT-008", "CT-011", "CT-012"])("%s is a word to a program", async (id) => {
    const value = payload(id);
    expect(await shell.call({ name: "words", arguments: { text: value } })).toEqual([`<${value}>`]);
  });
});

// Last: it stops this process for seconds, after which a connection that was kept may be closed as it is used.
describe("a command as text of a shell", () => {
  it("gets through a shell, as whole and as spliced text: the rows show something", () => {
    const through = (run: (value: string, cwd: string) => void): readonly string[] =>
      idsOf("shell_bypass").filter((id) => {
        run(armed(id)[0] ?? "", place.workspace);
        const escaped = existsSync(canary);
        rmSync(canary, { force: true });
        return escaped;
      });
    const whole = through(wholeCommand);
    expect(whole.length).toBeGreaterThanOrEqual(24);
    const spliced = through(splicedCommand);
    expect(spliced.length).toBeGreaterThanOrEqual(7);
    for (const left of readdirSync(place.workspace)) if (left !== "kept.txt") rmSync(join(place.workspace, left));
  });
});
