// docs/guides/agents.md as it is read, in an empty folder: its files written, its commands run in their order, each answer held against the block behind it.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "@jest/globals";
import { OUTCOMES } from "../../../src/core/runs/outcomes.ts";
import { blocksOf, isShown, shown, variablesIn } from "../../support/pages.ts";

/** The command `postel` of this tree. */
const COMMAND = `#!/bin/sh\nexec "${process.execPath}" "${resolve("src/main.ts")}" "$@"\n`;

/** Lines that go on in a terminal of their own, and where what they start answers. */
const SERVERS: readonly (readonly [RegExp, string])[] = [
  [/^node stand-in\.mjs$/m, "http://127.0.0.1:9100/"],
  [/^postel serve .*$/m, "http://127.0.0.1:7678/health"],
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

class Terminal {
  readonly #folder = mkdtempSync(join(tmpdir(), "postel-agents-"));
  readonly #servers = new Map<string, ChildProcess>();
  readonly #ports: ReadonlyMap<string, string>;
  #variables: Record<string, string> = {};
  /** What the last command wrote. */
  said = "";

  constructor(ports: ReadonlyMap<string, string>) {
    this.#ports = ports;
    this.write("postel", COMMAND);
    chmodSync(join(this.#folder, "postel"), 0o755);
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#folder, file), this.here(text));
  }

  async run(script: string): Promise<void> {
    const servers = SERVERS.flatMap(([line, url]) => line.exec(script)?.map((command) => ({ command, url })) ?? []);
    const rest = servers.reduce((left, { command }) => left.replace(command, ""), script);
    if (rest.trim() !== "") await this.#command(rest);
    for (const { command, url } of servers) await this.#serve(command, this.here(url));
  }

  async end(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(stopped));
    rmSync(this.#folder, { recursive: true });
  }

  async #command(script: string): Promise<void> {
    const given = { cwd: this.#folder, env: this.#env() };
    this.said = await new Promise((written) => {
      execFile("bash", ["--norc", "-uc", this.here(script)], given, (_error, stdout, stderr) =>
        written(stdout + stderr),
      );
    });
    if (this.said.startsWith("{")) this.#variables = { ...this.#variables, ...variablesIn(this.said) };
  }

  async #serve(command: string, url: string): Promise<void> {
    const before = this.#servers.get(url);
    if (before) await stopped(before);
    const started = spawn("bash", ["--norc", "-c", `exec ${command}`], {
      cwd: this.#folder,
      env: this.#env(),
      stdio: "ignore",
    });
    this.#servers.set(url, started);
    while (started.exitCode === null && !(await answers(url))) await new Promise((tick) => setTimeout(tick, 50));
    expect({ command, exitCode: started.exitCode }).toEqual({ command, exitCode: null });
  }

  #env(): Record<string, string> {
    const { PATH = "" } = process.env;
    const port = this.#ports.get("7678") ?? "";
    return { PATH: `${this.#folder}:${PATH}`, PORT: port, ...this.#variables };
  }

  here(text: string): string {
    return [...this.#ports].reduce((made, [shownPort, port]) => made.replaceAll(shownPort, port), text);
  }
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    async (response) => (await response.text()) !== undefined,
    () => false,
  );
}

async function stopped(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, "exit");
  server.kill("SIGKILL");
  await exited;
}

const page = readFileSync("docs/guides/agents.md", "utf8");

it("docs/guides/agents.md tells what happens", async () => {
  const blocks = blocksOf(page);
  const terminal = new Terminal(new Map([await portFor("9100"), await portFor("7678")]));
  let compared = 0;
  try {
    for (const { language, file, text } of blocks) {
      if (file !== "") terminal.write(file, text);
      else if (language === "sh") await terminal.run(text);
      else {
        compared += 1;
        const { said } = terminal;
        if (language === "json") expect({ text, said: JSON.parse(said) }).toEqual({ text, said: shown(text) });
        else expect({ said, shown: isShown(said, terminal.here(text)) ? said : text }).toEqual({ said, shown: said });
      }
    }
  } finally {
    await terminal.end();
  }
  expect(compared).toBeGreaterThan(14);
});

it("docs/guides/agents.md names every outcome with its exit code", () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)].map(([, outcome, code]) => [outcome, Number(code)]);
  const all = Object.entries(OUTCOMES).map(([outcome, { exitCode }]) => [outcome, exitCode]);
  expect(rows.toSorted()).toEqual(all.toSorted());
});

async function portFor(shownPort: string): Promise<readonly [string, string]> {
  return [shownPort, String(await freePort())];
}
