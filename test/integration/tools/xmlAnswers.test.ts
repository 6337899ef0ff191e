// XML and almost-JSON answers of services: what they become, and what is refused. Real HTTP for the workflow, direct calls for the details.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { XmlShape } from "../../../src/core/config/xmlShape.ts";
import { AnswerFormatError } from "../../../src/tools/http/AnswerFormatError.ts";
import { parseXml, XML_CHARS } from "../../../src/tools/http/parseXml.ts";
import { readHttpAnswer } from "../../../src/tools/http/readResponse.ts";
import { repairJson } from "../../../src/tools/http/repairJson.ts";
import { shapeXmlDocument } from "../../../src/tools/http/shapeXml.ts";
import { type Declared, startDeclared } from "../../support/declared/startDeclared.ts";

const SOAP = `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <soap:Body><m:GetPriceResponse xmlns:m="https://www.example.org/prices">
    <m:Price xsi:type="xsd:decimal">007.90</m:Price><m:Note>Tea &amp; &#99;ups</m:Note>
  </m:GetPriceResponse></soap:Body>
</soap:Envelope>`;

const RSS = `<?xml version="1.0"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><channel>
  <title>News</title><link>https://news.example/</link><atom:link href="https://news.example/feed" rel="self"/>
  <item><title><![CDATA[First <b>news</b>]]></title><link>https://news.example/1</link><media:title>m</media:title><guid isPermaLink="false">1</guid></item>
</channel></rss>`;

function answer(body: string, contentType: string) {
  const bytes: AsyncIterable<Uint8Array> = (async function* () {
    yield new TextEncoder().encode(body);
  })();
  return readHttpAnswer({ status: 200, headers: { "content-type": contentType }, body: bytes });
}

describe("a workflow step that calls an http-client component", () => {
  let service: Server;
  let gateway: Declared;
  let answers: Record<string, readonly [type: string, body: string]>;
  beforeEach(async () => {
    answers = {
      "/soap": ["text/xml; charset=utf-8", SOAP],
      "/rss": ["application/rss+xml", RSS],
      "/almost": ["application/json", "{'rate': NaN, 'list': [1, 2,], /* old */ 'name': 'x'}"],
      "/broken": ["application/xml", "<a><b>1</a>"],
    };
    service = createServer((request, response) => {
      const [type, body] = answers[request.url ?? ""] ?? ["text/plain", "nothing"];
      response.setHeader("content-type", type).end(body);
    });
    await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
    const { port } = service.address() as AddressInfo;
    gateway = await startDeclared(
      `
components:
  - id: old
    type: http-client
    description: An old service.
    base_url: http://127.0.0.1:${port}
    actions:
      - { id: price, path: /soap, output: "\${response.Envelope.Body.GetPriceResponse}" }
      - { id: news, path: /rss, output: "\${response.rss.channel.item}" }
      - { id: almost, path: /almost, output: "\${response.list}" }
      - { id: broken, path: /broken }
agents: [{ id: default, model: m, tools: [old] }]
workflows:
  - id: prices
    steps:
      - { id: price, component: old, action: price }
      - { id: news, component: old, action: news }
      - { id: almost, component: old, action: almost }
    output: { price: "\${steps.price.Price}", note: "\${steps.price.Note}", news: "\${steps.news}", list: "\${steps.almost}" }
`,
      ({ body }) => {
        const last = body.messages.at(-1);
        if (last?.role !== "user") return "Read.";
        return [{ name: last.content, arguments: {} }];
      },
    );
  });
  afterEach(async () => {
    service.closeAllConnections();
    await new Promise((closed) => service.close(closed));
    await gateway.close();
  });

  it("has the fields of a SOAP envelope, of an RSS channel and of almost JSON as JSON", async () => {
    const { status, body } = await gateway.post("/api/workflows/prices", {});
    expect([status, body.response]).toEqual([
      200,
      {
        price: "007.90",
        note: "Tea & cups",
        news: [
          {
            title: "First <b>news</b>",
            link: "https://news.example/1",
            media_title: "m",
            guid: { _: "1", _isPermaLink: "false" },
          },
        ],
        list: [1, 2],
      },
    ]);
  });

  it("tells the model of a repair, and keeps the text of malformed XML in the error", async () => {
    const read = async (tool: string): Promise<string> => {
      await gateway.post("/v1/agent", { model: "m", messages: [{ role: "user", content: tool }] });
      const asked = gateway.upstream.requests.at(-1)?.body.messages ?? [];
      return asked.find(({ role }) => role === "tool")?.content ?? "";
    };
    expect(await read("old.almost")).toMatch(
      /^Note: The service's answer was not valid JSON and was repaired.*\n\[1,2\]$/,
    );
    const broken = await read("old.broken");
    expect(broken).toMatch(
      /^Error: the service's answer says that it is XML and cannot be read: .*closing tag 'b'.*line 1/,
    );
    expect(broken).toContain("<a><b>1</a>");
  });
});

describe("parseXml", () => {
  it.each([
    ["attributes and own text", '<a x="&lt;1">t</a>', { a: { _x: "<1", _: "t" } }],
    ["empty elements", "<a><b/><c></c></a>", { a: { b: "", c: "" } }],
    ["a repeated element as a list", "<a><b>1</b><b>2</b></a>", { a: { b: ["1", "2"] } }],
    [
      "numbers and booleans as text",
      "<a><b>007</b><c>true</c><d>1e3</d></a>",
      { a: { b: "007", c: "true", d: "1e3" } },
    ],
    ["CDATA as it is", "<a><![CDATA[<x>&amp;]]></a>", { a: "<x>&amp;" }],
    ["an entity once", "<a>&amp;lt;</a>", { a: "&lt;" }],
    [
      "an envelope in the default namespace",
      '<Envelope xmlns="s"><Body><m:R xmlns:m="m">1</m:R></Body></Envelope>',
      { Envelope: { Body: { R: "1" } } },
    ],
    ["a lone entry as a list", "<feed><entry><id>1</id></entry></feed>", { feed: { entry: [{ id: "1" }] } }],
    ["an external document type as nothing", '<!DOCTYPE a SYSTEM "x.dtd"><a>k</a>', { a: "k" }],
  ])("reads %s", async (_what, text, value) => {
    expect(await parseXml(text)).toEqual(value);
  });

  it.each([
    ["an unclosed element", "<a>1"],
    ["a wrong closing tag", "<a><b></a>"],
    ["text alone", "hello"],
    ["text behind the root", "<a>1</a>x"],
    ["a bare ampersand's entity", "<a>&x</a>"],
    ["an attribute twice", '<a b="1" b="2"/>'],
    ["an element of a prototype's name", "<a><__proto__>x</__proto__></a>"],
    ["an entity bomb", '<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;">]><a>&m;</a>'],
    ["an entity behind a system identifier with a tag", '<!DOCTYPE a SYSTEM "<" [<!ENTITY l "x">]><a>&l;</a>'],
    ["many declarations", "<!DOCTYPE ".repeat(6_000)],
    ["an external entity", '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>'],
    ["elements nested too deep", `${"<a>".repeat(300)}${"</a>".repeat(300)}`],
  ])("refuses %s, and keeps the text", async (_what, text) => {
    const error = await parseXml(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnswerFormatError);
    expect(error).toMatchObject({ text });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe("readHttpAnswer", () => {
  it("gives XML that is too long as text, with a note", async () => {
    const long = `<a>${"x".repeat(XML_CHARS)}</a>`;
    expect(await answer(long, "text/xml")).toEqual({ value: long, note: expect.stringContaining("given as text") });
  });

  it.each([
    ["text/plain", "<a>1</a>", "<a>1</a>"],
    ["text/html", "<p>1</p>", "<p>1</p>"],
    ["application/atom+xml; charset=utf-8", "<a>1</a>", { a: "1" }],
    ["application/json", "{'a': 1}", { a: 1 }],
    ["application/problem+json", '{"a": 1,}', { a: 1 }],
    ["text/plain", "{'a': 1}", "{'a': 1}"],
    ["application/json", "<html>gateway error</html>", "<html>gateway error</html>"],
  ])("reads %s", async (type, body, value) => {
    expect(await answer(body, type)).toMatchObject({ value });
  });
});

describe("shapeXmlDocument", () => {
  const shape: XmlShape = {
    type: "object",
    properties: {
      id: { type: "number", attribute: true },
      zip: { type: "any" },
      price: { type: "number" },
      isOpen: { type: "boolean", name: "open" },
      tag: { type: "array", items: { type: "any" } },
      lines: {
        type: "array",
        wrapped: true,
        items: { type: "object", name: "line", properties: { n: { type: "number" } } },
      },
    },
  };

  it("reads numbers, booleans and lists where the schema has them, and nothing else otherwise", async () => {
    const text =
      '<o id="7"><zip>007</zip><price>2.50</price><open>true</open><tag>a</tag><lines><line><n>1</n></line></lines><more>5</more></o>';
    expect(shapeXmlDocument(await parseXml(text), shape)).toEqual({
      o: { id: 7, zip: "007", price: 2.5, isOpen: true, tag: ["a"], lines: [{ n: 1 }], more: "5" },
    });
  });

  it("keeps what does not fit: a long number, a word, an empty wrapper, no list", async () => {
    const text = "<o><price>12345678901234567890</price><open>perhaps</open><lines/></o>";
    expect(shapeXmlDocument(await parseXml(text), shape)).toEqual({
      o: { price: "12345678901234567890", isOpen: "perhaps", tag: [], lines: [] },
    });
  });
});

describe("repairJson", () => {
  it.each([
    ["NaN", '{"a": NaN}', { a: "NaN" }],
    ["comments", '// x\n{"a": 1 /* y */}', { a: 1 }],
    ["spare commas", '{"a": [1, 2,],}', { a: [1, 2] }],
    ["single quotes", "{'a': 'it''s'}".replace("''", "\\'"), { a: "it's" }],
    ["unquoted keys", "{a: True, b: None}", { a: true, b: null }],
  ])("repairs %s", async (_what, text, value) => {
    expect(await repairJson(text)).toEqual(value);
  });

  it.each([
    ["a cut answer", '{"a": [1, 2'],
    ["a cut string", '{"a": "b'],
    ["words", "no such order"],
    ["a page", "<html></html>"],
    ["brackets that do not close one another", '{"a": [1}]'],
    ["a line break within a string, many times", `[${'"a\n'.repeat(4_000)}]`],
    ["quotes within strings, many times", `["${'a"b,'.repeat(3_000)}"]`],
    ["a deep text", `${"[".repeat(1_000)}'a'${"]".repeat(1_000)}`],
    ["a long text", `[${"1,".repeat(10_000)}]`],
  ])("leaves %s alone", async (_what, text) => {
    expect(await repairJson(text)).toBeUndefined();
  });
});
