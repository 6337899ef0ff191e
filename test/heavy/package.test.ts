// What a stranger installs: the tarball of the files that git knows, in an empty folder. Needs a registry.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { cleanClone } from "../support/cleanClone.ts";

const MINUTES = 60_000;

let folder: string;
let installed: string;
let files: readonly string[];
let gateway: ChildProcess | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-package-"));
  const clone = join(folder, "clone");
  installed = join(folder, "installed");
  cleanClone(clone);
  symlinkSync(resolve("node_modules"), join(clone, "node_modules"));
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], clone)) as [Packed];
  files = packed.files.map(({ path }) => path);
  run("npm", ["install", "--prefix", installed, "--no-audit", "--no-fund", join(folder, packed.filename)], folder);
}, 5 * MINUTES);
afterAll(async () => {
  if (gateway?.exitCode === null) {
    gateway.kill("SIGKILL");
    await once(gateway, "close");
  }
  rmSync(folder, { recursive: true });
});

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

describe("the package of a clean clone", () => {
  it("holds the compiled program, its configuration, its recordings, and no sources", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        "dist/main.js",
        "dist/parts/openai.LICENSE",
        "config/models.yaml",
        "config/postel.yaml",
        "config/examples/vllm.yaml",
        "README.md",
        "LICENSE",
      ]),
    );
    expect(files.filter((file) => file.startsWith("fixtures/transcripts/")).length).toBeGreaterThan(10);
    expect(files.filter((file) => /^(src|test)\//.test(file))).toEqual([]);
  });

  it.each(["express", "openai", "fast-xml-parser", "jsonrepair", "p-retry", "pino"])(
    "is built on %s: its program imports the package, and an installation brings it",
    (name) => {
      const home = join(installed, "node_modules/postel-gateway");
      const { dependencies } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
      expect(Object.keys(dependencies)).toContain(name);
      expect(existsSync(join(installed, "node_modules", name, "package.json"))).toBe(true);
      const parts = readdirSync(join(home, "dist"), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.js(?:\.map)?$/.test(file))
        .map((file) => readFileSync(join(home, "dist", file), "utf8"));
      // The SDK of upstreams is bundled into a part of the program, which its source map shows.
      const uses = [`from "${name}"`, `from"${name}"`, `import("${name}")`, `node_modules/${name}/`];
      expect(parts.some((text) => uses.some((use) => text.includes(use)))).toBe(true);
    },
  );

  it("says its version as `postel`", () => {
    expect(run("npx", ["--no-install", "postel", "--version"], installed)).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it(
    "is a parser that others import, and a gateway as a value, both with types",
    () => {
      const script = `
      import { type Config, createGateway, type Gateway, readConfig } from "postel-gateway";
      import { createParser, type ParserEvent, parse } from "postel-gateway/parser";
      const tools = [{ name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } }] as const;
      const { toolCalls } = parse('<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call>', { tools });
      const events: readonly ParserEvent[] = createParser({ tools, model: "qwen3:8b" }).finish();
      const file = new URL(import.meta.resolve("postel-gateway/config/postel.yaml")).pathname;
      const config: Config = readConfig({ file, env: {} });
      const gateway: Gateway = await createGateway(config, { observers: [] });
      const post = (fields: object): RequestInit => ({
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "plain-answer", messages: [{ role: "user", content: "Hi" }], ...fields }),
      });
      const path = "/v1/chat/completions";
      const { fetch: answer } = gateway;
      const whole: Response = await answer(new Request("http://localhost" + path, post({})));
      const streamed: Response = await answer(new Request("http://localhost" + path, post({ stream: true })));
      const url: string = await gateway.listen({ port: 0, host: "127.0.0.1", signal: new AbortController().signal });
      const served: Response = await fetch(url + path, post({}));
      const content = async (response: Response): Promise<string> => {
        const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
        return choices[0].message.content;
      };
      const text: string = (await streamed.text())
        .matchAll(/"content":"((?:[^"\\\\]|\\\\.)*)"/g)
        .reduce((text, [, piece]) => text + JSON.parse('"' + piece + '"'), "");
      const contents = [await content(whole), text, await content(served)];
      await gateway.close();
      console.log(JSON.stringify([toolCalls[0]?.arguments, events.length, Object.keys(gateway).sort(), contents]));
    `;
      writeFileSync(join(installed, "library.mts"), script);
      const types = ["--module", "nodenext", "--target", "es2024", "--lib", "es2025", "--strict", "--noEmit"];
      run(
        process.execPath,
        [
          resolve("node_modules/typescript/bin/tsc"),
          ...[...types, "--typeRoots", resolve("node_modules/@types"), "--types", "node", "library.mts"],
        ],
        installed,
      );
      const [args, events, members, contents] = JSON.parse(run(process.execPath, ["library.mts"], installed));
      expect([args, events, members]).toEqual(['{"city": "Oslo"}', 0, ["close", "fetch", "listen"]]);
      expect(contents[0]).toMatch(/\w/);
      expect(contents).toEqual([contents[0], contents[0], contents[0]]);
    },
    5 * MINUTES,
  );

  it(
    "has a parser whose types need none of Node's",
    () => {
      const script = `import { parse } from "postel-gateway/parser";\nexport const content: string = parse("Hi").content;\n`;
      writeFileSync(join(installed, "page.mts"), script);
      const types = [
        "--module",
        "esnext",
        "--moduleResolution",
        "bundler",
        "--strict",
        "--noEmit",
        "--lib",
        "es2022,dom",
        "--types",
        "",
      ];
      run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), ...types, "page.mts"], installed);
    },
    5 * MINUTES,
  );

  it(
    "serves",
    async () => {
      gateway = spawn(join(installed, "node_modules/.bin/postel"), ["serve", "--port", "0"], {
        cwd: installed,
        env: { PATH: process.env.PATH },
        stdio: ["ignore", "pipe", "ignore"],
      });
      if (!gateway.stdout) throw new Error("no output");
      const { value } = await createInterface({ input: gateway.stdout })[Symbol.asyncIterator]().next();
      const url = /http:\/\/\S+/.exec(String(value))?.[0];
      const response = await fetch(`${url}/v1/agent`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "leaked-xml", messages: [{ role: "user", content: "What is 17 times 23?" }] }),
      });
      expect(await response.json()).toMatchObject({
        choices: [{ message: { content: expect.stringContaining("391") } }],
      });
    },
    MINUTES,
  );
});
