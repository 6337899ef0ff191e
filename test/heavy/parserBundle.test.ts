// The parser as a web page gets it: in one bundle, with nothing of Node, small enough; run where only the Web's globals are.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { FAMILY_NOTES } from "../../scripts/generateFormatsTable.ts";
import { createParser } from "../../src/parser.ts";

const MINUTE = 60_000;

const ESBUILD = join("node_modules", ".bin", "esbuild");
const BUNDLE = ["src/parser.ts", "--bundle", "--minify", "--platform=browser", "--format=iife", "--global-name=postel"];

/** Bytes of the minified bundle behind gzip. The goal is 60 kB. */
const MOST_BYTES = 75_200;

/** What the page runs: each text, a character at a time; it must not name anything from outside itself. */
function readAll(create: typeof createParser, samples: readonly (readonly [model: string, text: string])[]): unknown {
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  return samples.map(([model, text]) => {
    const parser = create({ tools: [{ name: "weather", parameters }], model, callId: () => "abcdefghi" });
    return [...[...text].flatMap((char) => parser.feed(char)), ...parser.finish()];
  });
}

const SAMPLES: readonly (readonly [string, string])[] = FAMILY_NOTES.map(({ example }) => ["", example]);
const [expected] = asJson([readAll(createParser, SAMPLES)]);

let folder: string;
let bundle: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-bundle-"));
  bundle = execFileSync(ESBUILD, BUNDLE, { encoding: "utf8" });
}, MINUTE);
afterAll(() => rmSync(folder, { recursive: true }));

/** As it is after a way through JSON: without what is undefined. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** A machine of CI without a browser fails; anybody else's does without that one test. */
const browser = BROWSERS.find(isInstalled) ?? (process.env.CI ? "chromium" : undefined);

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("the parser in one bundle for the browser", () => {
  it("imports nothing of Node", () => {
    expect(/["']node:/.exec(bundle)?.[0]).toBeUndefined();
  });

  it(`has at most ${MOST_BYTES} bytes behind gzip`, () => {
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it("reads every family's example where there is nothing but the language, URL and Web Crypto", () => {
    const context = createContext({ URL, crypto });
    const script = `${bundle};JSON.stringify((${readAll})(postel.createParser, ${JSON.stringify(SAMPLES)}))`;
    expect(JSON.parse(String(runInContext(script, context)))).toEqual(expected);
  });

  it("draws an id from Web Crypto there", () => {
    const script = `${bundle};postel.parse('<tool_call>{"name":"f","arguments":{}}</tool_call>',{tools:[{name:"f"}]}).toolCalls[0].id`;
    expect(runInContext(script, createContext({ URL, crypto }))).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  (browser ? it : it.skip)(
    "reads them in a real browser as Node does",
    () => {
      const script = `document.body.textContent = encodeURIComponent(JSON.stringify([typeof process, (${readAll})(postel.createParser, ${JSON.stringify(SAMPLES)})]));`;
      writeFileSync(join(folder, "bundle.js"), `${bundle}\n${script}`);
      const page = join(folder, "page.html");
      writeFileSync(page, '<!doctype html><meta charset="utf-8"><body><script src="bundle.js"></script>');
      const shown = execFileSync(
        browser ?? "",
        [...BROWSER_FLAGS, `--user-data-dir=${folder}/profile`, `file://${page}`],
        {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
          timeout: MINUTE,
        },
      );
      const body = /<body>(\S*)<\/body>/.exec(shown)?.[1] ?? "";
      expect(JSON.parse(decodeURIComponent(body))).toEqual(["undefined", expected]);
    },
    MINUTE,
  );
});

/** Quiet towards the network, which a test's browser has no business with. */
const BROWSER_FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--dump-dom"],
];
