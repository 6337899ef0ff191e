// A redirect of an action reaches its own origin and those that the action names.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "@jest/globals";
import { type ApprovalHouse, approvalHouse, toldLast } from "../../support/approvals/approvalGateway.ts";

let testGateway: ApprovalHouse | undefined;
const closing: (() => void)[] = [];
afterEach(async () => {
  await testGateway?.close();
  testGateway = undefined;
  for (const close of closing.splice(0)) close();
});

async function serve(location?: string): Promise<{ url: string; hits: string[] }> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${request.url} ${request.headers["x-key"] ?? ""}`.trim());
    if (location && request.url === "/from") response.writeHead(302, { location }).end();
    else response.end('"here"');
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits };
}

async function asked(
  location: string,
  origins: string,
  others = "",
  redirects = "redirects: 2",
): Promise<{ told: string; hits: string[] }> {
  const from = await serve(location);
  const yaml = () => `
components:
  - { id: it, type: http-client, base_url: "${from.url}", path: /from, headers: { x-key: secret-of-it }, ${redirects}${origins} }
${others}
agents: [{ id: ops, model: m, tools: [it] }]
`;
  testGateway = await approvalHouse(yaml, [[{ name: "it", arguments: {} }], "done"]);
  await testGateway.ask();
  return { told: toldLast(testGateway), hits: from.hits };
}

it("is followed on the action's own origin", async () => {
  const { told, hits } = await asked("/to", "");
  expect([told, hits]).toEqual(["here", ["/from secret-of-it", "/to secret-of-it"]]);
});

it.each(["127.0.0.1:PORT", "http://127.0.0.1:PORT"])(
  "is followed to %s in `redirect_origins`, without headers",
  async (origin) => {
    const to = await serve();
    const { told } = await asked(
      `${to.url}/to`,
      `, redirect_origins: ["${origin.replace("PORT", new URL(to.url).port)}"]`,
    );
    expect([told, to.hits]).toEqual(["here", ["/to"]]);
  },
);

it.each(["", ', redirect_origins: ["*.example.com"]'])(
  "is refused elsewhere, with the name of the key (%j)",
  async (origins) => {
    const to = await serve();
    const other = `  - { id: other, type: http-client, base_url: "${to.url}", path: / }`;
    const { told } = await asked(`${to.url}/to`, origins, other);
    expect(told).toContain("`redirect_origins`");
    expect(to.hits).toEqual([]);
  },
);

it.each([
  [', redirect_origins: ["https://a.test/path"]', /redirect_origins\.0: expected an origin/],
  [", redirect_origins: [a.test], redirects: 0", /redirect_origins: expected none, or `redirects`/],
])("is checked when the file is read: %s", async (more, fault) => {
  const yaml = () =>
    `components: [{ id: it, type: http-client, base_url: "http://a.test", path: /${more} }]\nagents: [{ id: ops, model: m, tools: [it] }]\n`;
  await expect(approvalHouse(yaml, ["done"])).rejects.toThrow(fault);
});

it.each(["/to", "OTHER/to"])(
  "names `redirects` where the action has none and the answer leads to %s",
  async (location) => {
    const to = await serve();
    const { told, hits } = await asked(location.replace("OTHER", to.url), "", "", "method: GET");
    expect(told).toMatch(/status 302, a redirect to http:\S+, which was not followed: this action has no `redirects`/);
    expect(told).toContain("set `redirects` of the action to 1 or more");
    expect(told.includes(`add ${to.url} to its \`redirect_origins\``)).toBe(location !== "/to");
    expect([hits, to.hits]).toEqual([["/from secret-of-it"], []]);
  },
);

it("names a larger `redirects` where the answers go round", async () => {
  const { told, hits } = await asked("/from", "");
  expect(told).toContain(
    "this action's `redirects` is 2. Whoever runs the gateway can set `redirects` of the action to 3",
  );
  expect(hits).toHaveLength(3);
});

it("names the address where the largest `redirects` are used up", async () => {
  const { told } = await asked("/from", "", "", "redirects: 5");
  expect(told).toContain("can set the action's `base_url` and `path` to the last address, as 5 is the most");
});

it("says that a POST is not redirected", async () => {
  const { told, hits } = await asked("/to", "", "", "method: POST, approval: never");
  expect(told).toContain("`redirects` is for GET and HEAD only, and this is a POST");
  expect(told).not.toContain("redirect_origins");
  expect(hits).toEqual(["/from secret-of-it"]);
});
