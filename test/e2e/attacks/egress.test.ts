// Where an address of the attacker's may lead: by a path, a query, a header, a redirect, a name that changes its mind. The oracle is a
// server on the loopback that counts connections: nobody may come.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { guardEgress, guardHosts } from "../../../src/network/policy/guardEgress.ts";
import { createHostPolicy, createPublicPolicy } from "../../../src/network/policy/hostPolicy.ts";
import { createUndiciEgress, type UndiciEgress } from "../../../src/network/undici/undiciEgress.ts";
import { idsOf, payload } from "../../support/adversarial/payloads.ts";
import {
  type Counted,
  type EgressHouse,
  sendsOn,
  startCounted,
  startHouse,
} from "../../support/attacks/egressGateway.ts";
import { naiveDial, naiveFetch } from "../../support/attacks/naiveEgress.ts";
import { readConfig } from "../../support/gatewayModules.ts";
import { exchange } from "../../support/network/fakeServer.ts";

const never = new AbortController().signal;

let canary: Counted;
let service: Counted;
beforeEach(async () => {
  canary = await startCounted();
  service = await startCounted(sendsOn);
});
afterEach(async () => {
  await canary.close();
  await service.close();
});

const paths = () => service.requests.map(({ url = "" }) => url);

describe("an address that a model writes", () => {
  let testGateway: EgressHouse;
  beforeEach(async () => {
    testGateway = await startHouse(service.url, ["https://allowed.example.test"]);
  });
  afterEach(() => testGateway.close());

  it.each(idsOf("ssrf_url"))("stays a value in a path, a query and a header, and is not followed: %s", async (id) => {
    const url = payload(id, canary.port);
    const ways = ["by-path", "by-query", "by-header", "by-redirect", "unfollowed"] as const;
    const [path, query, header, redirect, unfollowed] = await testGateway.call(
      ...ways.map((way) => [way, url] as const),
    );
    expect(canary.connections).toEqual([]);
    expect([path, query]).toEqual(["served", "served"]);
    expect(header).toMatch(/[^\x20-\xff]/.test(url) ? /^Error: the value for the header x-u/ : /^served$/);
    expect(redirect).toMatch(
      /^Error: (\S+ is no origin of the configuration for a redirect|the service answered with status 307)/,
    );
    expect(unfollowed).toContain("status 307");
    const inPlace = paths().map((one) => decodeURIComponent(one.replace(/^\/v1\/(?:p\/|q\?u=|r\?to=)/, "")));
    expect(inPlace.filter((one) => one !== "/v1/h")).toEqual([url, url, url, url]);
  });

  it("does not change where a header ends: HI-005", async () => {
    const [result] = await testGateway.call(["by-header", payload("HI-005")]);
    expect(result).toContain("Error: the value for the header x-u has line breaks");
    expect(service.connections).toEqual([]);
  });

  it("is no header of its own: HI-006", async () => {
    await testGateway.call(["by-header", payload("HI-006")]);
    const [request] = service.requests;
    expect(request?.headers["x-u"]).toBe("content-length: 5");
    expect(request?.rawHeaders.filter((name) => /^(?:content-length|transfer-encoding)$/i.test(name))).toEqual([]);
  });

  it("is as little followed where a service writes it without a scheme: SD-002", async () => {
    const [row = ""] = /\/\/\d+/.exec(payload("SD-002")) ?? [];
    const [result] = await testGateway.call(["by-redirect", `${row}:${canary.port}/`]);
    expect(result).toContain(`http://127.0.0.1:${canary.port} is no origin of the configuration`);
    expect(canary.connections).toEqual([]);
  });

  it("is followed on the service's own origin, so often as the action says and no more", async () => {
    expect(await testGateway.call(["by-redirect", "/v1/elsewhere"])).toEqual(["served"]);
    expect(service.requests.at(-1)?.headers["x-mine"]).toBe("key-of-the-service");
    const before = service.requests.length;
    const loop = `/v1/r?to=${"/v1/r?to=".repeat(9)}`;
    await testGateway.call(["by-redirect", loop]);
    expect(service.requests.length - before).toBeLessThanOrEqual(4);
  });
});

describe("a redirect to another service of the configuration", () => {
  it("has none of the first one's headers: SD-006", async () => {
    const other = await startCounted((_, response) => response.end('"other"'));
    const testGateway = await startHouse(service.url, [other.url]);
    expect(await testGateway.call(["by-redirect", `${other.url}/taken`])).toEqual(["other"]);
    const [first] = service.requests;
    const [second] = other.requests;
    expect(first?.headers).toMatchObject({
      authorization: "Bearer key-of-the-service",
      "x-mine": "key-of-the-service",
    });
    expect(second?.url).toBe("/taken");
    expect(JSON.stringify(second?.rawHeaders)).not.toContain("key-of-the-service");
    await testGateway.close();
    await other.close();
  });
});

describe("a name whose addresses an attacker chooses", () => {
  const dialling: UndiciEgress[] = [];
  afterEach(async () => {
    for (const one of dialling.splice(0)) await one.close();
  });

  /** Sends to the name as the gateway does. `answers`: what a resolver says, a list for each time it is asked. */
  function send(name: string, answers: (readonly string[])[], allow: readonly string[] = []) {
    const network = createUndiciEgress({
      connectMs: 2_000,
      hosts: createHostPolicy(allow),
      resolve: (_, __, found) =>
        found(
          null,
          (answers.shift() ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
        ),
    });
    dialling.push(network);
    const origin = `http://${name}:${canary.port}`;
    return guardEgress(network.egress, { origins: [origin] }).send(exchange(`${origin}/`, { kind: "tool" }), never);
  }

  const literals = idsOf("ssrf_url").flatMap((id) => {
    const host = URL.parse(payload(id, 1))?.hostname ?? "";
    const address = host.endsWith("localhost") ? "127.0.0.1" : host.replace(/^\[|\]$/g, "");
    return /^[\d.]+$|:/.test(address) ? [[id, address] as const] : [];
  });

  it.each(literals)("is not dialled where it leads to the address of %s, %s", async (_, address) => {
    await expect(send("public.example.test", [[address]])).rejects.toMatchObject({
      failure: { code: "egress_refused" },
    });
    expect(canary.connections).toEqual([]);
  });

  it("covers all rows that are addresses", () => {
    expect(literals.length).toBeGreaterThanOrEqual(22);
  });

  it("is refused whole for one of several: SD-004", async () => {
    const addresses = /\[(.*)\]/.exec(payload("SD-004"))?.[1]?.split(", ") ?? [];
    expect(addresses).toHaveLength(2);
    for (const answer of [addresses, addresses.toReversed()])
      await expect(send("multi.evil.test", [answer])).rejects.toMatchObject({ failure: { code: "egress_refused" } });
    expect(canary.connections).toEqual([]);
  });

  it("cannot change its mind between the check and the connection: SD-003", async () => {
    const [, second = ""] = payload("SD-003").match(/\d+\.\d+\.\d+\.\d+/g) ?? [];
    // The machine's other address stands for the public one, and is allowed as that is: the test leaves the machine alone.
    const answers = [["127.0.0.2"], [second]];
    await send("rebind.evil.test", answers, ["127.0.0.2"]);
    expect(canary.connections).toEqual(["127.0.0.2"]);
    expect(answers).toEqual([[second]]);
    const again = send("rebind.evil.test", answers, ["127.0.0.2"]);
    await expect(again).rejects.toMatchObject({ failure: { code: "egress_refused" } });
    expect(canary.connections).toEqual(["127.0.0.2"]);
  });
});

describe("a name that a page or a model chooses", () => {
  const dialling: UndiciEgress[] = [];
  afterEach(async () => {
    for (const one of dialling.splice(0)) await one.close();
  });

  /** As a scraper sends that may read every public host, in a house that allows all private networks. */
  function read(name: string, addresses: readonly string[]) {
    const hosts = createPublicPolicy([], createHostPolicy(["127.0.0.0/8", "10.0.0.0/8", "::1", name]));
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const network = createUndiciEgress({ connectMs: 2_000, hosts, resolve: (_, __, tell) => tell(null, found) });
    dialling.push(network);
    return guardHosts(network.egress, hosts).send(exchange(`http://${name}:${canary.port}/`, { kind: "tool" }), never);
  }

  it.each([
    ["multi.evil.test", /\[(.*)\]/.exec(payload("SD-004"))?.[1]?.split(", ") ?? []],
    [
      "rebind.evil.test",
      payload("SD-003")
        .match(/\d+\.\d+\.\d+\.\d+/g)
        ?.slice(1) ?? [],
    ],
    ["localhost", ["127.0.0.1"]],
    ["db.internal", ["127.0.0.1"]],
    ["db", ["::1"]],
    ["metadata.evil.test", ["169.254.169.254"]],
  ])(
    "leads to no address that is not public, whatever the operator allows: %s (SD-003, SD-004)",
    async (name, addresses) => {
      expect(addresses.length).toBeGreaterThan(0);
      await expect(read(name, addresses)).rejects.toMatchObject({ failure: { code: "egress_refused" } });
      expect(canary.connections).toEqual([]);
    },
  );
});

describe("an address that a client writes", () => {
  it.each(["/v1/chat/completions", "/v1/agent", "/v1/agent/chat/completions", "/v1/embeddings", "/v1/completions"])(
    "chooses no upstream on %s: SD-008",
    async (path) => {
      const testGateway = await startHouse(service.url);
      const body = { model: "m", messages: [{ role: "user", content: "[]" }], input: "x", prompt: "x" };
      const headers = {
        "content-type": "application/json",
        "x-forwarded-host": `127.0.0.1:${canary.port}`,
        "custom-host": canary.url,
      };
      for (const field of ["api_base", "base_url", "custom_host"]) {
        const sent = JSON.stringify({ ...body, [field]: canary.url });
        const response = await fetch(`${testGateway.gateway.url}${path}`, { method: "POST", headers, body: sent });
        expect([field, response.status]).toEqual([field, 400]);
      }
      await fetch(`${testGateway.gateway.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      expect(canary.connections).toEqual([]);
      await testGateway.close();
    },
  );

  it("is not fetched as a picture or a file: SD-010", async () => {
    const testGateway = await startHouse(service.url);
    const parts = [
      { type: "image_url", image_url: { url: `${canary.url}/x.png` } },
      { type: "text", text: "What is it?" },
    ];
    await fetch(`${testGateway.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: parts }] }),
    });
    expect(canary.connections).toEqual([]);
    await testGateway.close();
  });
});

describe("an address that an operator writes", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "postel-written-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function load(yaml: string, env: Record<string, string> = {}) {
    const file = join(folder, "postel.yaml");
    writeFileSync(file, yaml);
    return readConfig({ file, modelsFile: resolve("config/models.yaml"), env });
  }

  it.each(["SU-013", "SU-015", "SU-020", "SU-035", "SU-036", "SU-039", "SU-043", "SU-050", "SU-052"])(
    "is refused at the start where it is no http, hides its host, or is the platform's: %s",
    (id) => {
      const url = JSON.stringify(payload(id, canary.port));
      expect(() => load(`upstreams: [{ id: u, base_url: ${url} }]\n`)).toThrow("base_url");
      expect(canary.connections).toEqual([]);
    },
  );

  it("has its host as it is written, whatever a variable says: SD-009", () => {
    const [, resource = ""] = /"(.*?)"/.exec(payload("SD-009")) ?? [];
    const base = (url: string) => `upstreams: [{ id: u, base_url: "${url}" }]\n`;
    for (const url of ["https://${env.R}.openai.azure.com", "https://${env.R}", "https://api.test/${env.R}/v1"])
      expect(() => load(base(url), { R: resource })).toThrow("base_url");
    expect(() => load(base("https://x.test/v1/${input.host}"))).toThrow("base_url");
  });
});

describe("an answer in more than one coding", () => {
  it("is refused before it is expanded: PI-010", async () => {
    const raw = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`${payload("PI-010")}\r\nContent-Length: 1\r\n\r\nx`));
    });
    await once(raw.listen(0, "127.0.0.1"), "listening");
    const testGateway = await startHouse(`http://127.0.0.1:${(raw.address() as AddressInfo).port}`);
    const [result] = await testGateway.call(["by-query", "x"]);
    expect(result).toMatch(/^Error: .*(?:which cannot be read|headers without end)/);
    await testGateway.close();
    raw.close();
  });
});

describe("the egress that one writes first", () => {
  it.each([...["SU-002", "SU-003", "SU-006", "SU-011", "SU-012", "SU-024", "SU-027", "SU-031", "SU-032"]])(
    "lets the canary be reached: %s",
    async (id) => {
      await naiveFetch(payload(id, canary.port));
      expect(canary.connections).toHaveLength(1);
    },
  );

  it("follows a redirect to it, with the key of the service: SD-002, SD-006", async () => {
    const at = `http://127.1:${service.port}`;
    await naiveFetch(`${at}/?to=//2130706433:${canary.port}/`);
    expect(canary.requests[0]?.headers["x-api-key"]).toBe("key-of-the-service");
  });

  it("dials what it has not checked: SD-003", async () => {
    const answers = ["93.184.216.34", "127.0.0.1"];
    await naiveDial("rebind.evil.test", canary.port, () => answers.shift() ?? "");
    expect(canary.connections).toHaveLength(1);
  });
});
