// `postel run --workflow`: the response on standard output, how it ended as the exit code.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { runPostel } from "../../support/cli/runPostel.ts";
import { type Service, startService } from "../../support/examples/startExample.ts";

let folder: string;
let service: Service;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "postel-workflow-"));
  service = await startService({ found: ["a", "b"] });
  const yaml = `
upstreams: [{ id: up, base_url: "http://127.0.0.1:9/v1" }]
components:
  - { id: find, type: http-client, base_url: "${service.url}", actions: [{ id: a, path: "/find?q=\${input.q}" }] }
  - { id: ask, type: http-client, base_url: "${service.url}", actions: [{ id: a, path: "/ask", approval: always }] }
workflows:
  - { id: look, component: find, input: "\${input}", output: { list: "\${output.found}", of: "\${input.q}" } }
  - { id: unattended, component: ask }
`;
  writeFileSync(join(folder, "postel.yaml"), yaml);
});
afterEach(() => {
  service.asked.length = 0;
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: readonly string[]) => runPostel(["run", "--config", join(folder, "postel.yaml"), ...args]);

describe("postel run --workflow", () => {
  it("writes the response and nothing else", async () => {
    const { status, out } = await run("--workflow", "look", "--input", '{"q": "x y"}');
    expect([status, JSON.parse(out)]).toEqual([0, { list: ["a", "b"], of: "x y" }]);
    expect(service.asked.map(({ what }) => what)).toEqual(["GET /find?q=x%20y"]);
  });

  it.each([
    ["an input that is missing", ["--workflow", "look"], /`q` is missing: the workflow `look` needs q/],
    ["an unknown workflow", ["--workflow", "lok"], /there is look, unattended/],
    ["an agent beside it", ["--workflow", "look", "--agent", "a"], /`--workflow` goes with `--input` alone/],
  ])("fails for %s, and says why", async (_what, args, message) => {
    const { status, err } = await run(...args);
    expect([status, service.asked]).toEqual([1, []]);
    expect(err).toMatch(message);
  });

  it("runs no step that a person would have to agree to, where nobody is there", async () => {
    const { status, out, err } = await run("--workflow", "unattended");
    expect([status, out, service.asked]).toEqual([1, "", []]);
    expect(err).toMatch(/a person would have to agree to it, and nobody is there/);
  });
});
