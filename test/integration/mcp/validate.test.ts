// `postel validate` before servers of tools: what each offers now, and that one which is down refuses nothing.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { runPostel } from "../../support/cli/runPostel.ts";
import { makePlace, toyCommand } from "../../support/mcp/mcpGateway.ts";

it("says what each server offers, and why one that is down does not", async () => {
  const place = makePlace();
  const file = join(place.folder, "postel.yaml");
  const down = `["${process.execPath}", -e, "process.exit(4)"]`;
  writeFileSync(
    file,
    `upstreams: [{ id: up, base_url: "http://127.0.0.1:9/v1" }]
components:
  - { id: toy, type: mcp, command: ${toyCommand(place)} }
  - { id: gone, type: mcp, command: ${down} }
`,
  );
  const { status, out } = await runPostel(["validate", "--config", file]);
  expect({ status, lines: out.trimEnd().split("\n").slice(1) }).toEqual({
    status: 0,
    lines: ["  toy: 8 tools", "  gone: down, and the gateway starts without it: it ended with exit code 4."],
  });
  place.remove();
});

it("refuses an agent's tool that its server, which is up, does not offer", async () => {
  const place = makePlace();
  const file = join(place.folder, "postel.yaml");
  writeFileSync(
    file,
    `upstreams: [{ id: up, base_url: "http://127.0.0.1:9/v1" }]
components:
  - { id: toy, type: mcp, command: ${toyCommand(place)} }
  - { id: gone, type: mcp, command: ["${process.execPath}", -e, "process.exit(4)"] }
agents: [{ id: clerk, model: m, tools: [toy.ehco, gone.anything] }]
`,
  );
  const { status, err } = await runPostel(["validate", "--config", file]);
  expect({ status, err }).toEqual({
    status: 1,
    err: expect.stringMatching(
      /postel\.yaml tools of the agent clerk: the server toy offers no `toy\.ehco`; it offers toy\.\w+, /,
    ),
  });
  expect(err).not.toContain("gone");
  place.remove();
});

it("lists what a server's tools want of a person, unless the operator takes its first list as agreed to", async () => {
  const place = makePlace();
  const file = join(place.folder, "postel.yaml");
  const command = toyCommand(place);
  writeFileSync(
    file,
    `upstreams: [{ id: up, base_url: "http://127.0.0.1:9/v1" }]
components:
  - { id: new, type: mcp, command: ${command}, tools: [echo] }
  - { id: known, type: mcp, command: ${command}, tools: [echo], definitions: first_listed }
`,
  );
  const { out } = await runPostel(["tools", "--connect", "--json", "--config", file]);
  const { tools } = JSON.parse(out) as { tools: readonly { readonly name: string; readonly approval: string }[] };
  const approvals = tools.flatMap(({ name, approval }) => (name.endsWith(".echo") ? [[name, approval]] : []));
  expect(approvals).toEqual([
    ["new.echo", "first"],
    ["known.echo", "never"],
  ]);
  place.remove();
});
