// The rules of the house, held against src; and each rule broken once, to show that the check notices.
import { describe, expect, it } from "@jest/globals";
import { FAMILY_IDS } from "../src/formats/families/tables.ts";
import { checkArchitecture } from "./support/checkArchitecture.ts";
import { readSources } from "./support/readSources.ts";

const OPENING = "// What it is. Knows nothing.\n";

/** A house of a few files that breaks no rule. */
const SOUND: Readonly<Record<string, string>> = {
  "main.ts": `#!/usr/bin/env node\n${OPENING}import { run } from "./cli/run.ts";\n`,
  "cli/run.ts": `${OPENING}import { compose } from "../compose.ts";\nimport { createApp } from "../server/createApp.ts";\n`,
  "compose.ts": `${OPENING}import { Runner } from "./agents/Runner.ts";\nimport { send } from "./network/send.ts";\n`,
  "server/createApp.ts": `${OPENING}import express from "express";\nimport type { Runner } from "../agents/Runner.ts";\n`,
  "agents/Runner.ts": `${OPENING}import { Parser } from "../formats/Parser.ts";\nimport type { Message } from "../core/messages.ts";\n`,
  "formats/Parser.ts": `${OPENING}import type { Message } from "../core/messages.ts";\n`,
  "formats/families/elements.ts": `${OPENING}export const ROWS = [\n  {\n    id: "qwen3-xml",\n    writtenBy: "Qwen",\n  },\n];\n`,
  "network/send.ts": `${OPENING}import { fetch } from "undici";\nimport type { Egress } from "../core/ports.ts";\n`,
  "core/messages.ts": `${OPENING}export interface Message {}\n`,
  "core/ports.ts": `${OPENING}export interface Egress {}\n`,
};

function faultsOf(broken: Readonly<Record<string, string>>): readonly string[] {
  return checkArchitecture(new Map(Object.entries({ ...SOUND, ...broken })), FAMILY_IDS);
}

describe("the house", () => {
  it("keeps every rule of its architecture", () => {
    expect(checkArchitecture(readSources("src"), FAMILY_IDS)).toEqual([]);
  });
});

describe("the check of the house", () => {
  it("finds nothing wrong with a sound tree", () => {
    expect(faultsOf({})).toEqual([]);
  });

  it.each([
    [
      "a floor-2 room that imports another",
      "formats/Parser.ts",
      'import { send } from "../network/send.ts";',
      "formats may not import network/send.ts",
    ],
    [
      "an import of the floor above",
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
      "compose that reaches up to the server",
      "compose.ts",
      'import { createApp } from "./server/createApp.ts";',
      "compose may not import server/createApp.ts",
    ],
    [
      "a body reader that knows a form",
      "formats/bodies/decodeJson.ts",
      'import { read } from "../forms/shapes/bareShapes.ts";',
      "formats/bodies may not import formats/forms/shapes/bareShapes.ts",
    ],
    [
      "a room that the formats do not have",
      "formats/grammars/block.ts",
      "",
      "formats/grammars is no room of the formats",
    ],
    [
      "a form that waits by itself",
      "formats/forms/shapes/bareShapes.ts",
      "while (source.code() === WAIT) yield;",
      "a reader waits in text/waiting.ts",
    ],
    [
      "a form that writes what is the turn's own",
      "formats/forms/shapes/bareShapes.ts",
      "this.#turn.lineStart = true;",
      "turn.lineStart = … is written by a method of its own",
    ],
    [
      "a form that moves the cursor as only a reader of characters may",
      "formats/forms/shapes/bareShapes.ts",
      "source.advance(STOPS, until);",
      ".advance(…) of a source belongs to formats/text",
    ],
    ["a room that the house does not have", "plugins/weather.ts", "", "plugins is no room of the house"],
    ["express outside the server", "agents/Runner.ts", 'import express from "express";', "express belongs to server"],
    [
      "the database outside the stores",
      "runs/Desk.ts",
      'import { x } from "node:sqlite";',
      "node:sqlite belongs to stores",
    ],
    [
      "a sub-path of a package outside its room",
      "agents/Runner.ts",
      'import { x } from "openai/streaming";',
      "openai belongs to models",
    ],
    [
      "a scoped package that only the tests have",
      "tools/Tool.ts",
      'import { x } from "@cfworker/json-schema";',
      "the package @cfworker/json-schema is not one of the house's",
    ],
    [
      "a package that checks the house's types and does not run",
      "models/a.ts",
      'import type { Message } from "@anthropic-ai/sdk/resources/messages";\nimport { Anthropic } from "@anthropic-ai/sdk";',
      "of @anthropic-ai/sdk only types are imported.",
    ],
    [
      "a package that the house does not have",
      "tools/Tool.ts",
      'import { Sequelize } from "sequelize";',
      "the package sequelize is not one of the house's",
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
      "formats/forms/wrapped/wrappedCalls.ts",
      'const quirk = "qwen";',
      '"qwen" is a vendor',
    ],
    [
      "a family that a reader names",
      "formats/forms/shapes/belief.ts",
      'const odd = "tool-name-xml";',
      '"tool-name-xml" is a family',
    ],
    [
      "a family that a table names beside its row",
      "formats/families/tables.ts",
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
    const faults = faultsOf({ [file]: `${SOUND[file] ?? OPENING}${code}\n` }).filter(
      (one) => !one.endsWith("a cycle."),
    );
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${file}: `);
    expect(faults[0]).toContain(fault);
  });

  it("finds what no browser has, however far behind the parser it stands", () => {
    const parser = `${OPENING}import { Parser } from "./formats/Parser.ts";\n`;
    const util = `${SOUND["formats/Parser.ts"]}import { inspect } from "node:util";\n`;
    expect(faultsOf({ "parser.ts": parser })).toEqual([]);
    expect(faultsOf({ "parser.ts": parser, "formats/Parser.ts": util })).toEqual([
      "formats/Parser.ts: parser.ts reaches node:util.",
    ]);
  });

  it("finds a file that does not say what it is", () => {
    expect(faultsOf({ "core/ports.ts": "export interface Egress {}\n" })).toEqual([
      "core/ports.ts: the first line must say what it is and what it refuses to know.",
    ]);
  });

  it("finds a cycle, even one of types alone", () => {
    const cycle = {
      "core/messages.ts": `${OPENING}import type { Egress } from "./ports.ts";\n`,
      "core/ports.ts": `${OPENING}import type { Message } from "./messages.ts";\n`,
    };
    expect(faultsOf(cycle)).toEqual(["core/messages.ts → core/ports.ts → core/messages.ts: a cycle."]);
  });

  it("lets a function be a field, an argument, or chosen by a name", () => {
    const kept =
      "class A {\n  readonly #b = () => 1;\n}\nlist.made = items.map((one) => one.name);\nsocket.onclose = ends;";
    expect(faultsOf({ "agents/Runner.ts": `${SOUND["agents/Runner.ts"]}${kept}\n` })).toEqual([]);
  });

  it("lets a call take objects and lists that are spread within an argument", () => {
    const kept =
      "list.push({ ...one, names: [...names] });\nlist.push(...[1, 2]);\nMath.max(lengthOf([...text]), 1);\nlist.push(`a(`);\nf(...x);";
    expect(faultsOf({ "agents/Runner.ts": `${SOUND["agents/Runner.ts"]}${kept}\n` })).toEqual([]);
  });

  it("lets a grammar write the marks that bear a vendor's name", () => {
    const marks = 'const marks = ["<minimax:tool_call>", "]<]minimax[>["];';
    expect(faultsOf({ "formats/forms/wrapped/wrappedCalls.ts": `${OPENING}${marks}\n` })).toEqual([]);
  });
});
