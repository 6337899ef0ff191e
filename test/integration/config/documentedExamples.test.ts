// The examples of docs/reference/configuration.md and profiles.md, each loaded as a file of its own: what is shown must work as it stands.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { findUnservedModels } from "../../../src/cli/validate/missingModels.ts";
import { openServices, readConfig } from "../../support/gatewayModules.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-examples-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const EXAMPLES = ["docs/reference/configuration.md", "docs/reference/profiles.md"].flatMap((page) =>
  [...readFileSync(page, "utf8").matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text),
);

it("there are examples", () => expect(EXAMPLES.length).toBeGreaterThan(0));

it.each(EXAMPLES)("can be used, and names no model that nobody serves:\n%s", async (text) => {
  const file = join(folder, "postel.yaml");
  writeFileSync(file, text);
  const env = Object.fromEntries([...text.matchAll(/\$\{env\.(\w+)\}/g)].map(([, name = ""]) => [name, filled(name)]));
  const config = readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
  const testGateway = await openServices(config, { observers: [] });
  expect(findUnservedModels(config, testGateway.directory)).toEqual([]);
  await testGateway.close();
});

function filled(variable: string): string {
  return variable.endsWith("_URL") ? "https://service.example/v1" : "a-value";
}
