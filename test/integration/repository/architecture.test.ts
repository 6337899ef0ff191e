// Checks the architecture rules against src, and each rule against a tree that breaks it.
import { describe, expect, it } from "@jest/globals";
import { FORMAT_IDS } from "../../../src/formats/specs/lookupTables.ts";
import { checkArchitecture } from "../../support/checkArchitecture.ts";
import { readSources } from "../../support/readSources.ts";

const OPENING = "// What it is. Knows nothing.\n";

/** A tree of a few files that breaks no rule. */
const SOUND: Readonly<Record<string, string>> = {
  "main.ts": `#!/usr/bin/env node\n${OPENING}import { run } from "./cli/run.ts";\n`,
  "cli/run.ts": `${OPENING}import { createGateway } from "../gateway/createGateway.ts";\nimport { createApp } from "../server/createApp.ts";\n`,
  "gateway/createGateway.ts": `${OPENING}import { Runner } from "../agents/Runner.ts";\nimport { send } from "../network/send.ts";\n`,
  "server/createApp.ts": `${OPENING}import express from "express";\nimport type { Runner } from "../agents/Runner.ts";\n`,
  "agents/Runner.ts": `${OPENING}import { Parser } from "../formats/Parser.ts";\nimport type { Message } from "../core/messages.ts";\n`,
  "formats/Parser.ts": `${OPENING}import type { Message } from "../core/messages.ts";\n`,
  "formats/specs/elements.ts": `${OPENING}export const ROWS = [\n  {\n    id: "qwen3-xml",\n    writtenBy: "Qwen",\n  },\n];\n`,
  "network/send.ts": `${OPENING}import { fetch } from "undici";\nimport type { Egress } from "../core/ports.ts";\n`,
  "core/messages.ts": `${OPENING}export interface Message {}\n`,
  "core/ports.ts": `${OPENING}export interface Egress {}\n`,
};

function checkTree(broken: Readonly<Record<string, string>>): readonly string[] {
  return checkArchitecture(new Map(Object.entries({ ...SOUND, ...broken })), FORMAT_IDS);
}

describe("src", () => {
  it("keeps every rule of its architecture", () => {
    expect(checkArchitecture(readSources("src"), FORMAT_IDS)).toEqual([]);
  });
});

describe("checkArchitecture", () => {
  it("finds nothing wrong with a sound tree", () => {
    expect(checkTree({})).toEqual([]);
  });

  it.each([
    [
      "a layer-2 module that imports another",
      "formats/Parser.ts",
      'import { send } from "../network/send.ts";',
      "formats may not import network/send.ts",
    ],
    [
      "an import of the layer above",
      "agents/Runner.ts",
      'import { createApp } from "../server/createApp.ts";',
      "agents may not import server/createApp.ts",
    ],
    [
      "core that imports anything of ours",
      "core/ports.ts",
      'import { send } from "../network/send.ts";',
      "core may not import network/send.ts",
    ],
    [
      "a type import, as it does a value",
      "tools/Tool.ts",
      'import type { send } from "../network/send.ts";',
      "tools may not import network/send.ts",
    ],
    [
      "an import over several lines",
      "tools/Tool.ts",
      'import {\n  send,\n  type Other,\n} from "../network/send.ts";',
      "tools may not import network/send.ts",
    ],
    [
      "a re-export",
      "tools/Tool.ts",
      'export { send } from "../network/send.ts";',
      "tools may not import network/send.ts",
    ],
    [
      "an import for its effect alone",
      "tools/Tool.ts",
      'import "../network/send.ts";',
      "tools may not import network/send.ts",
    ],
    [
      "a dynamic import",
      "tools/Tool.ts",
      'const later = await import("../network/send.ts");',
      "tools may not import network/send.ts",
    ],
    [
      "a gateway module that reaches up to the command line",
      "gateway/createGateway.ts",
      'import { run } from "../cli/run.ts";',
      "gateway may not import cli/run.ts",
    ],
    [
      "a body reader that knows a form",
      "formats/decoders/decodeJson.ts",
      'import { read } from "../grammars/unmarked/unmarkedCalls.ts";',
      "formats/decoders may not import formats/grammars/unmarked/unmarkedCalls.ts",
    ],
    ["a folder that formats does not have", "formats/blocks/block.ts", "", "formats/blocks is not a folder of formats"],
    [
      "a form that waits by itself",
      "formats/grammars/unmarked/unmarkedCalls.ts",
      "while (source.code() === WAIT) yield;",
      "a reader waits in scanner/combinators.ts",
    ],
    [
      "a form that writes what is the turn's own",
      "formats/grammars/unmarked/unmarkedCalls.ts",
      "this.#turn.lineStart = true;",
      "turn.lineStart = … is written by a method of its own",
    ],
    [
      "a form that moves the cursor as only a reader of characters may",
      "formats/grammars/unmarked/unmarkedCalls.ts",
      "source.advance(STOPS, until);",
      ".advance(…) of a source belongs to formats/scanner",
    ],
    ["a module that the gateway does not have", "plugins/weather.ts", "", "plugins is not a module of the gateway"],
    ["express outside the server", "agents/Runner.ts", 'import express from "express";', "express belongs to server"],
    [
      "the database outside the stores",
      "runs/Desk.ts",
      'import { x } from "node:sqlite";',
      "node:sqlite belongs to stores",
    ],
    [
      "a sub-path of a package outside its module",
      "agents/Runner.ts",
      'import { x } from "openai/streaming";',
      "openai belongs to models",
    ],
    [
      "a scoped package that only the tests have",
      "tools/Tool.ts",
      'import { x } from "@cfworker/json-schema";',
      "the package @cfworker/json-schema is not one of the gateway's",
    ],
    [
      "a package whose types are imported and whose code is not",
      "models/a.ts",
      'import type { Message } from "@anthropic-ai/sdk/resources/messages";\nimport { Anthropic } from "@anthropic-ai/sdk";',
      "of @anthropic-ai/sdk only types are imported.",
    ],
    [
      "a package that the gateway does not have",
      "tools/Tool.ts",
      'import { Sequelize } from "sequelize";',
      "the package sequelize is not one of the gateway's",
    ],
    ...[
      "socket.onclose = () => this.#end();",
      "this.#broke ??= (error: unknown): never => {",
      "this.onMessage = async (\n  message,\n) => read(message);",
      "signal.onabort = function () {",
    ].map((code) => [
      "a function that outlives its request",
      "agents/Runner.ts",
      code,
      "until the next full collection",
    ]),
    ...[
      "calls.push(...read.calls);",
      "calls.push(\n  first,\n  ...read(text, { all: [1] }),\n);",
      "list.unshift(...others);",
      "list.splice(at, 0, ...others);",
      "const width = Math.max(0, ...lines.map(({ length }) => length));",
      "const first = Math.min(...places);",
      "const text = String.fromCharCode(...codes);",
      "const text = String.fromCodePoint.apply(null, codes);",
      "list.push.apply(list, others);",
    ].map((code) => ["a list that is spread into arguments", "agents/Runner.ts", code, "overflows the stack"]),
    ["a folder whose name says nothing", "agents/utils/text.ts", "", '"utils" says nothing'],
    ["a file whose name says nothing", "agents/helpers.ts", "", '"helpers" says nothing'],
    ["a barrel", "tools/index.ts", "", "a barrel"],
    ["a vendor's name in the agents", "agents/Runner.ts", "// Claude does it so.", '"Claude" is a vendor'],
    [
      "a vendor's name in a reader",
      "formats/grammars/wrapped/wrappedCalls.ts",
      'const quirk = "qwen";',
      '"qwen" is a vendor',
    ],
    [
      "a family that a reader names",
      "formats/grammars/unmarked/acceptance.ts",
      'const odd = "tool-name-xml";',
      '"tool-name-xml" is a family',
    ],
    [
      "a family that a table names beside its row",
      "formats/specs/lookupTables.ts",
      'const odd = "qwen3-xml";',
      '"qwen3-xml" is a family',
    ],
    [
      "a family outside the formats",
      "server/createApp.ts",
      'const odd = "raw", other = "harmony";',
      '"harmony" is a family',
    ],
  ])("finds %s", (_rule, file, code, fault) => {
    // An import that goes up may also close a cycle, which is a fault of its own.
    const faults = checkTree({ [file]: `${SOUND[file] ?? OPENING}${code}\n` }).filter(
      (one) => !one.endsWith("a cycle."),
    );
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${file}: `);
    expect(faults[0]).toContain(fault);
  });

  it("finds what no browser has, however far behind the parser it stands", () => {
    const parser = `${OPENING}import { Parser } from "./formats/Parser.ts";\n`;
    const util = `${SOUND["formats/Parser.ts"]}import { inspect } from "node:util";\n`;
    expect(checkTree({ "parser.ts": parser })).toEqual([]);
    expect(checkTree({ "parser.ts": parser, "formats/Parser.ts": util })).toEqual([
      "formats/Parser.ts: parser.ts reaches node:util.",
    ]);
  });

  it("finds a file that does not say what it is", () => {
    expect(checkTree({ "core/ports.ts": "export interface Egress {}\n" })).toEqual([
      "core/ports.ts: the first line must say what the module does.",
    ]);
  });

  it("finds a cycle, even one of types alone", () => {
    const cycle = {
      "core/messages.ts": `${OPENING}import type { Egress } from "./ports.ts";\n`,
      "core/ports.ts": `${OPENING}import type { Message } from "./messages.ts";\n`,
    };
    expect(checkTree(cycle)).toEqual(["core/messages.ts → core/ports.ts → core/messages.ts: a cycle."]);
  });

  it("lets a function be a field, an argument, or chosen by a name", () => {
    const kept =
      "class A {\n  readonly #b = () => 1;\n}\nlist.made = items.map((one) => one.name);\nsocket.onclose = ends;";
    expect(checkTree({ "agents/Runner.ts": `${SOUND["agents/Runner.ts"]}${kept}\n` })).toEqual([]);
  });

  it("lets a call take objects and lists that are spread within an argument", () => {
    const kept =
      "list.push({ ...one, names: [...names] });\nlist.push(...[1, 2]);\nMath.max(lengthOf([...text]), 1);\nlist.push(`a(`);\nf(...x);";
    expect(checkTree({ "agents/Runner.ts": `${SOUND["agents/Runner.ts"]}${kept}\n` })).toEqual([]);
  });

  it("lets a grammar write the marks that bear a vendor's name", () => {
    const marks = 'const marks = ["<minimax:tool_call>", "]<]minimax[>["];';
    expect(checkTree({ "formats/grammars/wrapped/wrappedCalls.ts": `${OPENING}${marks}\n` })).toEqual([]);
  });
});
