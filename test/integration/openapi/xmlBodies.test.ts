// XML bodies and answers of OpenAPI operations: one operation called through the gateway over HTTP, and the writer's details.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { XMLValidator } from "fast-xml-parser";
import type { XmlShape } from "../../../src/core/config/xmlShape.ts";
import { writeXml } from "../../../src/tools/openApi/writeXml.ts";
import { type Declared, startDeclared } from "../../support/declared/startDeclared.ts";

const DOCUMENT = `
openapi: 3.0.3
info: { title: Orders, version: "1" }
paths:
  /orders:
    post:
      operationId: createOrder
      requestBody:
        required: true
        content: { application/xml: { schema: { $ref: "#/components/schemas/Order" } } }
      responses:
        "201":
          description: It is made.
          content: { application/xml: { schema: { $ref: "#/components/schemas/Order" } } }
  /notes:
    post:
      operationId: sendNote
      requestBody: { content: { text/xml: { schema: { type: string } } } }
      responses: { "200": { description: ok } }
components:
  schemas:
    Order:
      type: object
      required: [id]
      xml: { name: order, prefix: o, namespace: "https://orders.example/" }
      properties:
        id: { type: integer, xml: { attribute: true } }
        customer: { type: string, xml: { name: buyer } }
        tags: { type: array, items: { type: string, xml: { name: tag } } }
        lines:
          type: array
          xml: { wrapped: true }
          items: { type: object, xml: { name: line }, properties: { sku: { type: string }, count: { type: integer } } }
`;

interface Arrived {
  readonly type: string | undefined;
  readonly body: string;
}

describe("an operation with an XML body", () => {
  const arrived: Arrived[] = [];
  const folder = mkdtempSync(join(tmpdir(), "postel-xml-"));
  const service = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    arrived.push({ type: request.headers["content-type"], body });
    response
      .writeHead(201, { "content-type": "application/xml" })
      .end(
        '<o:order xmlns:o="https://orders.example/" id="7"><buyer>007</buyer><tag>one</tag><lines><line><sku>1</sku><count>2</count></line></lines></o:order>',
      );
  });
  let gateway: Declared;
  beforeAll(async () => {
    await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
    const { port } = service.address() as AddressInfo;
    const file = join(folder, "orders.yaml");
    writeFileSync(file, DOCUMENT);
    gateway = await startDeclared(
      `
components:
  - { id: shop, type: openapi, description: Orders., document: ${file}, base_url: "http://127.0.0.1:${port}", approval: never }
agents: [{ id: default, model: m, tools: [shop] }]
`,
      ({ body }) => {
        const last = body.messages.at(-1);
        return last?.role === "user" ? JSON.parse(last.content) : "Done.";
      },
    );
  });
  afterAll(async () => {
    service.closeAllConnections();
    await new Promise((closed) => service.close(closed));
    rmSync(folder, { recursive: true });
    await gateway.close();
  });

  async function call(name: string, args: object): Promise<string> {
    const content = JSON.stringify([{ name, arguments: args }]);
    await gateway.post("/v1/agent", { model: "m", messages: [{ role: "user", content }] });
    const asked = gateway.upstream.requests.at(-1)?.body.messages ?? [];
    return asked.find(({ role }) => role === "tool")?.content ?? "";
  }

  it("is sent as its schema's `xml` objects say, and its answer has the schema's lists and numbers", async () => {
    const result = await call("shop.createOrder", {
      lines: [{ sku: "a<b", count: 2 }],
      tags: ["x", "y & z"],
      customer: 'Vera "V" <v@example.org>',
      id: 7,
    });
    expect(JSON.parse(result)).toEqual({
      order: { id: 7, customer: "007", tags: ["one"], lines: [{ sku: "1", count: 2 }] },
    });
    expect(arrived.at(-1)).toEqual({
      type: "application/xml",
      body:
        '<?xml version="1.0" encoding="UTF-8"?><o:order xmlns:o="https://orders.example/" id="7"><buyer>Vera &quot;V&quot; &lt;v@example.org&gt;</buyer>' +
        "<tag>x</tag><tag>y &amp; z</tag><lines><line><sku>a&lt;b</sku><count>2</count></line></lines></o:order>",
    });
  });

  it("whose schema is a text is sent as the model writes it", async () => {
    await call("shop.sendNote", { body: "<note>1</note>" });
    expect(arrived.at(-1)).toEqual({ type: "text/xml", body: "<note>1</note>" });
  });
});

describe("writeXml", () => {
  const object: XmlShape = { type: "object", name: "a" };
  it.each<[string, Parameters<typeof writeXml>[0], XmlShape, string]>([
    ["members that the schema does not name", { b: 1, c: { d: true } }, object, "<a><b>1</b><c><d>true</d></c></a>"],
    ["nothing for null", { b: null, c: "" }, object, "<a><c/></a>"],
    ["a repeated element for a list", { b: [1, 2] }, object, "<a><b>1</b><b>2</b></a>"],
    [
      "a list as the root",
      ["x"],
      { type: "array", name: "as", items: { type: "any", name: "i" } },
      "<as><i>x</i></as>",
    ],
    [
      "an own namespace",
      { b: "1" },
      { type: "object", name: "a", properties: { b: { type: "any", namespace: "u" } } },
      '<a><b xmlns="u">1</b></a>',
    ],
  ])("writes %s", (_what, value, shape, written) => {
    const text = writeXml(value, shape);
    expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>${written}`);
    expect(XMLValidator.validate(text)).toBe(true);
  });

  it.each([
    ["a key that would leave its element", { "b><evil>": 1 }],
    ["a key that would be an attribute", { "@_xmlns": "u" }],
    ["a key that would be raw text", { "#text": "x" }],
    ["a key that would be an instruction", { "?xml": "x" }],
    ["a control character", { b: "\u0001" }],
    ["half a character", { b: "\ud800" }],
    ["a list of lists", { b: [[1]] }],
  ])("refuses %s", (_what, value) => {
    expect(() => writeXml(value, object)).toThrow(/cannot be|no XML can|has none/);
  });
});
