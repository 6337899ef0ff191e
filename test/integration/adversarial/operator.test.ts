// Hostile texts in the operator's files and variables, and in what is logged: refused, literal, or escaped.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Config } from "../../../src/core/config/configuration.ts";
import { fillTemplate } from "../../../src/core/template/fillTemplate.ts";
import { createLogger } from "../../../src/telemetry/createLogger.ts";
import { createRedact } from "../../../src/telemetry/redaction/createRedact.ts";
import { idsOf, payload } from "../../support/adversarial/payloads.ts";
import { readConfig } from "../../support/gatewayModules.ts";

const UPSTREAM = "upstreams: [{ id: up, type: openai, base_url: 'http://127.0.0.1:1/v1' }]\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-operator-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function load(yaml: string, env: Record<string, string> = {}): Config {
  const file = join(folder, "postel.yaml");
  writeFileSync(file, yaml);
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
}

/** The prompt that a file with this text as one scalar gives. */
function prompt(text: string): string | undefined {
  return load(`${UPSTREAM}agents:\n  - id: a\n    system_prompt: ${JSON.stringify(text)}\n`, {
    POSTEL_CANARY_SECRET: "s3cret-canary",
  }).agents[0]?.systemPrompt;
}

describe("a hostile configuration file", () => {
  it.each(idsOf("config_yaml"))("is refused with the line: %s", (id) => {
    expect(() => load(UPSTREAM + payload(id))).toThrow(/postel\.yaml:\d+:\d+/);
  });

  it("has no limit of nought", () => {
    expect(() => load(`${UPSTREAM}limits: { answer_chars: 0 }\n`)).toThrow(/limits\.answer_chars: expected/);
  });
});

describe("a hostile placeholder", () => {
  it.each(["EI-003", "EI-004", "TI-005", "TI-008"])("of another language stays literal: %s", (id) => {
    expect(prompt(payload(id))).toBe(payload(id));
  });

  it("is computed by nobody: TI-002", () => {
    expect(() => prompt(payload("TI-002"))).toThrow(/is no placeholder/);
  });

  it("is written as itself: EI-010", () => {
    expect(prompt(payload("EI-010"))).toBe("${LITERAL}");
  });

  it("adds no key to the file, whatever its variable holds: EI-006", () => {
    const yaml = "upstreams:\n  - id: up\n    type: openai\n    base_url: http://h/v1\n    api_key: ${env.A}\n";
    expect(() => load(yaml, { A: "x\nadmin: true" })).toThrow(/5:14 upstreams\.0\.api_key: expected a key in one line/);
  });

  it("leaves the structure of a tool's body as it is: TI-009", () => {
    const text = payload("TI-009");
    const filled = fillTemplate({ content: "say ${input.q}" }, { input: { q: text } });
    expect(JSON.parse(JSON.stringify(filled))).toEqual({ content: `say ${text}` });
  });
});

describe("a hostile text in a log", () => {
  it.each([...idsOf("log_injection"), "UC-008", "UC-009"])("is one line without controls: %s", (id) => {
    const lines: string[] = [];
    const logger = createLogger({
      level: "info",
      redact: createRedact([]),
      destination: { write: (line) => lines.push(line) },
    });
    logger.info({ text: payload(id), data: JSON.parse('{"__proto__": {"toString": null}}') }, payload(id));
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: payload(id) });
  });
});

describe("a secret in disguise", () => {
  it("is found behind its user's name in base64: SL-004", () => {
    const text = Buffer.from("user:s3cret-canary").toString("base64");
    expect(payload("SL-004")).toContain("B64(user:");
    expect(createRedact(["s3cret-canary"])(text)).not.toContain(text.slice(8, 16));
  });
});
