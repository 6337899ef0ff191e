// What of a document or a component cannot be carried out is refused when it is loaded: the file, the place in it, and what to write.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Config } from "../../../src/core/config/configuration.ts";
import type { OpenApiComponent } from "../../../src/core/config/openApiComponent.ts";
import { configFaults } from "../../support/configFaults.ts";
import { openServices, readConfig } from "../../support/gatewayModules.ts";
import { SAMOVAR } from "../../support/openapi/openApiGateway.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postel-documents-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const SERVERS = "servers: [{ url: https://api.example.com/v1 }]\n";
const HEAD = `openapi: 3.1.0\ninfo: { title: T, version: "1" }\n${SERVERS}`;

function load(document: string, component = ""): Config {
  const file = join(folder, "postel.yaml");
  writeFileSync(join(folder, "api.yaml"), document);
  writeFileSync(
    file,
    `upstreams: [{ id: up, base_url: "http://127.0.0.1:1/v1" }]\ncomponents:\n  - { id: api, type: openapi, document: api.yaml${component && `, ${component}`} }\n`,
  );
  return readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} });
}

/** Without the place in postel.yaml, which `readConfig` has for all. */
function faults(document: string, component = ""): readonly string[] {
  return configFaults(() => load(document, component)).map((fault) => fault.replace(/^\S+postel\.yaml:\d+:\d+ /, ""));
}

function operationsOf(document: string, component = ""): OpenApiComponent["actions"] {
  const [one] = load(document, component).components;
  return one?.type === "openapi" ? one.actions : [];
}

/** A document whose paths are these lines. */
const paths = (...lines: readonly string[]) => `${HEAD}paths:\n${lines.map((line) => `  ${line}\n`).join("")}`;
const get = (says: string) => paths(`/a: { get: { operationId: a, responses: {}, ${says} } }`);
const post = (says: string) => paths(`/a: { post: { operationId: a, responses: {}, ${says} } }`);
const body = (content: string) => post(`requestBody: { content: { ${content} } }`);

describe("a document that cannot be carried out", () => {
  const many = Array.from({ length: 129 }, (_, at) => `/p${at}: { get: { operationId: op${at}, responses: {} } }`);
  const rows: readonly (readonly [what: string, document: string, fault: RegExp])[] = [
    [
      "Swagger 2.0",
      'swagger: "2.0"',
      /^components\.0\.document: expected OpenAPI 3\.0 or 3\.1; this is Swagger 2\.0: convert it, as with `npx swagger2openapi/,
    ],
    ["another version", "openapi: 4.0.0", /document: expected OpenAPI 3\.0 or 3\.1, as `openapi: "3\.1\.0"` says$/],
    ["no document", "- a", /document: expected an OpenAPI document: an object$/],
    ["no YAML", "{ a: [", /document: expected a file that can be read, in JSON or YAML: /],
    [
      "an operation without a name",
      paths(
        "/orders/{id}/items: { get: { responses: {}, parameters: [{ name: id, in: path, required: true, schema: {} }] } }",
      ),
      /document: api\.yaml#\/paths\/~1orders~1\{id\}~1items\/get: expected an operationId, .*`operationId: getOrdersIdItems`$/,
    ],
    [
      "two operations of one name",
      paths("/a: { get: { operationId: x, responses: {} } }", "/b: { get: { operationId: x, responses: {} } }"),
      /api\.yaml#\/paths\/~1b\/get\/operationId: expected an operationId of its own; #\/paths\/~1a\/get has the same/,
    ],
    [
      "more operations than a model is shown",
      paths(...many),
      /components\.0\.operations: is missing; expected at most 128 operations, and these are 129: take fewer/,
    ],
    [
      "a reference to another file",
      body("application/json: { schema: { $ref: other.yaml#/A } }"),
      /api\.yaml#\/paths\/~1a\/post\/requestBody\/content\/application~1json\/schema\/\$ref: expected a reference within this file .*npx @redocly\/cli bundle/,
    ],
    [
      "a reference to a URL",
      get('parameters: [{ $ref: "https://example.com/p.yaml" }]'),
      /api\.yaml#\/paths\/~1a\/get\/parameters\/0\/\$ref: expected a reference within this file/,
    ],
    [
      "a reference to nothing",
      get('parameters: [{ $ref: "#/components/parameters/no" }]'),
      /expected a place of this file; `#\/components\/parameters\/no` is none$/,
    ],
    [
      "references in a circle",
      `${get('parameters: [{ $ref: "#/components/parameters/a" }]')}components: { parameters: { a: { $ref: "#/components/parameters/b" }, b: { $ref: "#/components/parameters/a" } } }\n`,
      /expected a `\$ref` that leads to what it means, not in a circle$/,
    ],
    [
      "a multipart body",
      body("multipart/form-data: { schema: { type: object } }"),
      /requestBody\/content: expected application\/json, application\/x-www-form-urlencoded, application\/xml or text; multipart\/form-data cannot be sent: leave the operation out/,
    ],
    [
      "a form that is no object",
      body("application/x-www-form-urlencoded: { schema: { type: array } }"),
      /schema: expected an object with `properties` for a form/,
    ],
    [
      "one name in path and body",
      paths(
        "/a/{id}: { put: { operationId: a, responses: {}, parameters: [{ name: id, in: path, required: true, schema: {} }], requestBody: { content: { application/json: { schema: { type: object, properties: { id: {} } } } } } } }",
      ),
      /properties\/id: expected a name of its own: #\/paths\/~1a~1\{id\}\/put\/parameters\/0 is the argument `id` too/,
    ],
    [
      "one name in query and header",
      get("parameters: [{ name: v, in: query, schema: {} }, { name: v, in: header, schema: {} }]"),
      /parameters\/1: expected a name of its own/,
    ],
    [
      "a parameter of two media types",
      get("parameters: [{ name: v, in: query, content: { application/json: {}, text/plain: {} } }]"),
      /parameters\/0\/content: expected one media type, application\/json/,
    ],
    [
      "a style that its place has not",
      get("parameters: [{ name: v, in: header, style: form, schema: {} }]"),
      /parameters\/0\/style: expected one of simple for a parameter in header$/,
    ],
    [
      "a list in a cookie, each by itself",
      get("parameters: [{ name: v, in: cookie, schema: { type: array } }]"),
      /parameters\/0: expected `explode: false`: a cookie has one value$/,
    ],
    [
      "a header of the connection",
      get("parameters: [{ name: Host, in: header, schema: {} }]"),
      /parameters\/0: expected another header: `Host` is not a caller's to give/,
    ],
    [
      "a path without its parameter",
      paths("/a/{id}: { get: { operationId: a, responses: {} } }"),
      /get: expected a parameter `id` in path, which `\/a\/\{id\}` has$/,
    ],
    [
      "a path with a query",
      paths('"/a?b=c": { get: { operationId: a, responses: {} } }'),
      /get: expected a path without query, fragment, /,
    ],
    [
      "security without a credential",
      `${get("security: [{ one: [] }, { two: [], three: [] }]")}`,
      /#\/paths\/~1a\/get: expected a credential for one, or two and three: write it in the component, as in `security: \{ one: "\$\{env\.KEY\}" \}`/,
    ],
  ];
  it.each(rows)("is refused with its place and what to write: %s", (_, document, fault) => {
    expect(faults(document)).toContainEqual(expect.stringMatching(fault));
  });

  it("is told of at most twenty times, and of how many more", () => {
    const all = faults(paths(...many.slice(0, 50).map((line) => line.replace(/operationId: \w+, /, ""))));
    expect(all).toHaveLength(21);
    expect(all.at(-1)).toMatch(/api\.yaml: 30 more faults as these$/);
  });

  it("is refused where its address cannot be told, and served under `base_url` then", () => {
    for (const servers of [
      "",
      "servers: [{ url: /v1 }]\n",
      "servers: [{ url: http://localhost:9200 }]\n",
      "servers: [{ url: https://vault.internal/v1 }]\n",
      "servers: [{ url: http://169.254.169.254/latest }]\n",
      'servers: [{ url: "https://{host}/v1", variables: { host: { default: a } } }]\n',
    ]) {
      const document = get("").replace(SERVERS, servers);
      expect(faults(document)).toEqual([
        expect.stringMatching(
          /^components\.0\.base_url: is missing; expected the address of the service, `base_url: https:/,
        ),
      ]);
      expect(faults(document, "base_url: https://api.example.com")).toEqual([]);
    }
  });

  it("of which OpenAPI itself says otherwise is refused when the gateway starts, with the place", async () => {
    const config = load(
      `${HEAD}paths: { /a: { get: { operationId: a, responses: {}, parameters: [{ name: v, in: query, schema: {}, allowEmpty: 7 }] } } }\n`.replace(
        "info: { title: T",
        "info: { name: T",
      ),
    );
    await expect(openServices(config, { observers: [] })).rejects.toMatchObject({
      failure: {
        code: "invalid_configuration",
        message: expect.stringMatching(/api\.yaml#\/info: must have required property 'title'/),
      },
    });
  });

  it("whose references double each other without an end starts at once, and shows models what is bounded", async () => {
    const doubled = Array.from(
      { length: 30 },
      (_, at) =>
        `D${at}: { type: object, properties: { a: { $ref: "#/components/schemas/D${at + 1}" }, b: { $ref: "#/components/schemas/D${at + 1}" } } }`,
    );
    const document = `${body('application/json: { schema: { $ref: "#/components/schemas/D0" } }')}components: { schemas: { ${doubled.join(", ")}, D30: { type: string } } }\n`;
    expect(JSON.stringify(operationsOf(document)).length).toBeLessThan(20_000);
    const testGateway = await openServices(load(document), { observers: [] });
    await testGateway.close();
  });
});

describe("a component that asks for what its document has not", () => {
  const rows: readonly (readonly [component: string, fault: RegExp])[] = [
    [
      "operations: { ids: [getTeaa] }",
      /^components\.0\.operations\.ids\.0: expected an operationId of the document, .*\(did you mean `getTea`\?\)$/,
    ],
    [
      'operations: { except: ["drop*", "nothing*"] }',
      /^components\.0\.operations\.except\.1: expected an operationId of the document/,
    ],
    [
      "operations: { tags: [ordrs] }",
      /^components\.0\.operations\.tags\.0: expected a tag of the document's operations \(did you mean `orders`\?\)$/,
    ],
    ["operations: { methods: [FETCH] }", /^components\.0\.operations\.methods\.0: expected one of GET, HEAD, POST/],
    [
      "operations: { ids: [getTea], methods: [POST] }",
      /^components\.0\.operations: expected a filter that takes an operation/,
    ],
    [
      "overrides: { getTee: { approval: never } }",
      /^components\.0\.overrides\.getTee: expected an operationId that is taken \(did you mean `getTea`\?\)$/,
    ],
    [
      "overrides: { getTea: { params: { id: {} } } }",
      /^components\.0\.overrides\.getTea\.params\.id: expected an argument of the operation; there are tea_id$/,
    ],
    [
      "overrides: { createTea: { retries: 2 } }",
      /^components\.0\.overrides\.createTea\.retries: expected none, or `idempotent: true`/,
    ],
    [
      "overrides: { createTea: { redirects: 2 } }",
      /^components\.0\.overrides\.createTea\.redirects: expected none: a POST/,
    ],
    [
      "security: { shopkey: abcdef }",
      /^components\.0\.security\.shopkey: expected a security scheme of the document \(did you mean `shop_key`\?\)$/,
    ],
    [
      "security: { shop_key: { username: a, password: b } }",
      /#\/components\/securitySchemes\/shop_key: expected one text in the component's `security\.shop_key`/,
    ],
    ['security: { shop_key: "${owner.SHOP}" }', /expected a credential that an owner has; `\$\{owner\.SHOP\}` is none/],
    ['security: { shop_key: "${input.key}" }', /^components\.0\.security\.shop_key: /],
    ['headers: { X-A: "${input.key}" }', /^components\.0\.headers\.X-A: `\$\{input\.key\}` has no meaning here/],
    ["document: no.yaml", /^components\.0\.document: expected an existing file/],
    [
      "document: https://example.com/api.yaml",
      /^components\.0\.document: expected a file and no URL: download the document once, as with `curl/,
    ],
  ];
  const ALL = "security: { shop_key: k111111, staff_query: k222222, staff_token: k333333, staff_login: k444444 }";
  it.each(rows)("is told what it has: %s", (component, fault) => {
    const file = join(folder, "postel.yaml");
    const said = component.startsWith("security")
      ? `operations: { ids: [getTea] }, ${component}`
      : `${ALL}, ${component}`;
    const document = component.startsWith("document") ? "" : `document: ${SAMOVAR}, `;
    writeFileSync(
      file,
      `upstreams: [{ id: up, base_url: "http://127.0.0.1:1/v1" }]\ncomponents:\n  - { id: shop, type: openapi, base_url: "http://127.0.0.1:1", ${document}${said} }\n`,
    );
    const told = configFaults(() => readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} }));
    expect(told.map((one) => one.replace(/^\S+postel\.yaml:\d+:\d+ /, ""))).toContainEqual(
      expect.stringMatching(fault),
    );
  });
});

describe("what is taken of a document", () => {
  const shop = (component: string) => {
    const file = join(folder, "postel.yaml");
    const all = "security: { shop_key: k111111, staff_query: k222222, staff_token: k333333, staff_login: k444444 }";
    writeFileSync(
      file,
      `upstreams: [{ id: up, base_url: "http://127.0.0.1:1/v1" }]\ncomponents:\n  - { id: shop, type: openapi, base_url: "http://127.0.0.1:1", document: ${SAMOVAR}, ${all}, ${component} }\n`,
    );
    const [one] = readConfig({ file, modelsFile: resolve("config/models.yaml"), env: {} }).components;
    return one?.type === "openapi" ? one.actions : [];
  };

  it("is what every list of the filter has, without the exceptions", () => {
    const taken = shop(
      'operations: { ids: ["*Order*", "*Shipment*"], tags: [orders], methods: [GET, POST], except: ["refund*"] }',
    );
    expect(taken.map(({ tool }) => tool)).toEqual(
      [
        "listOrders",
        "createOrder",
        "getOrder",
        "cancelOrder",
        "payOrder",
        "listShipments",
        "createShipment",
        "trackShipment",
      ].map((id) => `shop.${id}`),
    );
  });

  it("is asked for unless it only reads, or the operator says otherwise of all or of one", () => {
    const approvals = (component: string) =>
      Object.fromEntries(
        shop(`operations: { ids: [getTea, hasTea, createTea, deleteTea] }, ${component}`).map((one) => [
          one.id,
          one.approval?.type,
        ]),
      );
    const usual = { getTea: undefined, hasTea: undefined, createTea: "always", deleteTea: "always" };
    expect(approvals("description: d")).toEqual(usual);
    expect(approvals("overrides: { createTea: { approval: never } }")).toEqual({ ...usual, createTea: "never" });
    expect(approvals("approval: never, overrides: { getTea: { approval: always } }")).toEqual({
      ...{ getTea: "always", hasTea: "never", createTea: "never", deleteTea: "never" },
    });
  });

  it("has a name that every provider takes, whatever its operationId is", () => {
    const [dotted, long] = operationsOf(
      paths(
        `/a: { get: { operationId: "orders/list all", responses: {} } }`,
        `/b: { get: { operationId: ${"x".repeat(200)}, responses: {} } }`,
      ),
    );
    expect(dotted?.tool).toMatch(/^api\.orders_list_all_[0-9a-f]{6}$/);
    expect(long?.tool).toHaveLength(128);
  });

  it("has texts that are bounded and hide nothing", () => {
    const [one] = operationsOf(get(`summary: "a\\u202eb\\u0007", description: "${"d".repeat(3000)}"`));
    expect(one?.description).toMatch(/^ab\nd+…$/);
    expect(one?.description).toHaveLength(1_024);
  });

  it("is a schema that 3.0 writes otherwise, and none of what no value can be held to", () => {
    const [one] = operationsOf(
      body(
        'application/json: { schema: { type: object, properties: { n: { type: integer, nullable: true, format: int64, minimum: 1, exclusiveMinimum: true, pattern: "(?i)[", xml: {}, example: 3 } } } }',
      ),
    );
    expect(one?.parameters.properties.n).toEqual({ type: ["integer", "null"], minimum: 1, exclusiveMinimum: 1 });
  });

  it("refuses no value for what was left out: of `oneOf` several may fit, and `not` says nothing", () => {
    const choice = "{ type: string, format: odd }, { type: string, not: { format: odd } }";
    const [one] = operationsOf(get(`parameters: [{ name: v, in: query, schema: { oneOf: [${choice}] } }]`));
    expect(one?.parameters.properties.v).toEqual({ anyOf: [{ type: "string" }, { type: "string" }] });
  });
});
