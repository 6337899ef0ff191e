// Elements as models write them: what is believed, what is nothing, what is refused.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { decodeContainer } from "../../../../src/formats/decoders/decodeXml.ts";

function readXml(body: string): unknown {
  return readLedElements(body, "");
}

function readLedElements(body: string, lead: string): unknown {
  const json = decodeContainer(body, lead);
  return json === undefined ? undefined : JSON.parse(json);
}

describe("the tree of elements", () => {
  it.each<[what: string, body: string, tree: object]>([
    ["text under each name", "<a>1</a><b>x y</b>", { a: "1", b: "x y" }],
    ["elements of one name as a list", "<a>1</a><b/><a>2</a>", { a: ["1", "2"], b: "" }],
    ["elements in elements, with the text between them", "<a>x<b>1</b>y</a>", { a: { b: "1", text: "xy" } }],
    ["an element that closes itself, under its own name", '<a/><b x="1"/><c />', { a: "", b: "", c: "" }],
    ["no attribute, whatever its value holds", "<a x='>' y=\"</a>\">1</a>", { a: "1" }],
    ["no comment and no declaration", '<?xml version="1.0"?><a>1<!-- <b> -->2</a>', { a: "12" }],
    ["a section as it stands", "<a>&lt;<![CDATA[<b> & &lt;]]></a>", { a: "<<b> & &lt;" }],
    ["the five entities and no other", "<a>&amp;lt; &#65; &quot;</a>", { a: '&lt; &#65; "' }],
    ["line ends as one", "<a>1\r\n2\r3</a>", { a: "1\n2\n3" }],
    ["a closer as the innermost element's, whatever it names", "<a><b>1</c>2</d>", { a: { b: "1", text: "2" } }],
    ["an element without its end", "<a><b>1", { a: { b: "1" } }],
    ["a closer without its end", "<a>1</a", { a: "1" }],
    ["nothing behind the end of the body itself", "<a>1</a></x><b>2</b>", { a: "1" }],
    ["names that all objects have", "<constructor>1</constructor>", { constructor: "1" }],
  ])("holds %s", (_, body, tree) => {
    expect(readXml(body)).toEqual(tree);
  });

  it("takes a name that would be a prototype for a name", () => {
    expect(decodeContainer("<__proto__>1</__proto__>", "")).toBe('{"__proto__":"1"}');
  });

  it.each([
    ["no element", "words"],
    ["nothing", ""],
    ["a tag without its end", "<a>1</a><b"],
    ["a value without its quote", "<a x='>1</a>"],
    ["a comment without its end", "<a><!-- 1</a>"],
    ["a section without its end", "<a><![CDATA[1</a>"],
    ["a document type", "<!DOCTYPE a><a>1</a>"],
    ["65 levels", `${"<a>".repeat(65)}1`],
  ])("is none of %s", (_, body) => {
    expect(readXml(body)).toBeUndefined();
  });

  it("never throws, and is made in one pass", () => {
    const piece = fc.constantFrom(
      "<a>",
      "</a>",
      "<b/>",
      "<",
      ">",
      "/",
      "'",
      '"',
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "<?",
      "&amp;",
    );
    fc.assert(fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))), (all) => void readXml(all.join(""))));
    for (const body of ["<a>", "</a>", "<a ", "<!--", "<![CDATA[", "'", "<a x='"]) {
      const started = performance.now();
      readXml(body.repeat(200_000));
      expect(performance.now() - started).toBeLessThan(30_000);
    }
  });
});

describe("elements whose tags stand behind a token", () => {
  const LEAD = "@@";
  it("are closed by their own names, and tags without the token are text", () => {
    expect(readLedElements("@@<a><b>&amp;@@</a>@@<c>@@<d>1@@</d>@@</c>", LEAD)).toEqual({
      a: "<b>&amp;",
      c: { d: "1" },
    });
    expect(readLedElements("@@<a>1@@</b>", LEAD)).toBeUndefined();
    expect(readLedElements("@@<a>1", LEAD)).toBeUndefined();
    expect(readLedElements("words", LEAD)).toBeUndefined();
  });
});
