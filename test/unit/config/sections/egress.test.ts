// The section `egress`, with the network's own idea of an address.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { readConfig } from "../../../support/gatewayModules.ts";

const UPSTREAM = 'upstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-egress-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function load(yaml: string) {
  const file = join(folder, "postel.yaml");
  writeFileSync(file, yaml);
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} });
}

describe("an address of the machine's link or its cloud", () => {
  const written = (url: string) => [
    ["upstreams.0.base_url", `upstreams: [{ id: u, base_url: "${url}/v1" }]\n`],
    ["webhooks.0.url", `${UPSTREAM}webhooks: [{ url: "${url}/", secret: 0123456789abcdef }]\n`],
    [
      "components.0.runtime.base_url",
      `components: [{ id: m, type: model, model: x, runtime: { type: openai-server, base_url: "${url}/v1" } }]\n`,
    ],
    ["components.0.base_url", `${UPSTREAM}components: [{ id: t, type: http-client, base_url: "${url}", path: / }]\n`],
  ];

  it.each(["http://169.254.169.254", "http://0xa9fea9fe", "http://[::ffff:169.254.169.254]", "http://168.63.129.16"])(
    "is refused wherever it is written, in whatever spelling: %s",
    (url) => {
      for (const [field, yaml] of written(url))
        expect(() => load(yaml ?? "")).toThrow(new RegExp(`${field}: .* write it into egress.allow`));
    },
  );

  it("is taken where it is allowed", () => {
    for (const [, yaml] of written("http://169.254.169.254"))
      expect(() => load(`${yaml}egress: { allow: [169.254.169.254] }\n`)).not.toThrow();
  });
});

describe("egress.allow", () => {
  it.each(["*.example.com", "http://x", "x:80", "10.0.0.0/40"])("is refused with %s", (entry) => {
    expect(() => load(`${UPSTREAM}egress: { allow: ["${entry}"] }\n`)).toThrow("egress.allow.0: expected a host name");
  });

  it("is what was written", () => {
    const { egress } = load(`${UPSTREAM}egress: { allow: [ollama.example.com, 10.0.0.0/8] }\n`);
    expect(egress.allow).toEqual(["ollama.example.com", "10.0.0.0/8"]);
  });
});
