// Feeds and site maps as a model reads them.
import { describe, expect, it } from "@jest/globals";
import { extractPage } from "../../../../../src/tools/web/extract/extractPage.ts";

function read(text: string, contentType = "application/xml", kind: "markup" | "text" = "text") {
  const bytes = new TextEncoder().encode(text);
  const bounds = { maxElements: 1_000, maxDepth: 100, parseMs: 1_000 };
  const result = extractPage({ url: "https://a.example/feed", kind, contentType, bytes, links: 5, bounds });
  if (result.type !== "read") throw new Error(result.reason);
  return result.page;
}

describe("extractPage", () => {
  it("reads RSS as a list with links, dates and summaries", () => {
    const page = read(
      '<?xml version="1.0"?><rss version="2.0" xmlns:atom="a"><channel><title>News</title><link>https://a.example/</link><item><title>One &amp; all</title><link>/1</link><pubDate>Mon, 1 Jan 2026</pubDate><description><![CDATA[<p>First <b>text</b></p>]]></description></item></channel></rss>',
      "application/rss+xml",
    );
    expect(page.title).toBe("News");
    expect(page.text).toBe("- [One & all](https://a.example/1) (Mon, 1 Jan 2026): First text");
    expect(page.links).toEqual([{ text: "One & all", url: "https://a.example/1" }]);
  });

  it("reads Atom by its alternate links, and served as HTML", () => {
    const page = read(
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>Papers</title><entry><title>P</title><link rel="self" href="/s"/><link rel="alternate" href="/p"/><updated>2026-01-01</updated></entry></feed>',
      "text/html",
      "markup",
    );
    expect(page.text).toBe("- [P](https://a.example/p) (2026-01-01)");
  });

  it.each([
    ["urlset", "url"],
    ["sitemapindex", "sitemap"],
  ])("reads a site map of %s", (root, entry) => {
    const page = read(
      `<${root}><${entry}><loc>https://a.example/x</loc><lastmod>2026-02-03</lastmod></${entry}></${root}>`,
    );
    expect([page.title, page.text]).toEqual(["Site map", "- [https://a.example/x](https://a.example/x) (2026-02-03)"]);
  });

  it("lists no address that is neither http nor https", () => {
    const page = read("<rss><channel><item><title>t</title><link>javascript:alert(1)</link></item></channel></rss>");
    expect([page.text, page.links]).toEqual(["- t", []]);
  });

  it.each([
    ["other XML", "<data><item>1</item></data>"],
    ["a cut feed", "<rss><channel><item><title>t"],
    ["a feed that defines entities", '<!DOCTYPE rss [<!ENTITY a "b">]><rss><channel/></rss>'],
  ])("gives %s as it is", (_what, text) => {
    expect(read(text).text).toBe(text);
  });

  it("shows 500 entries and says how many more there are", () => {
    const page = read(`<urlset>${"<url><loc>https://a.example/</loc></url>".repeat(600)}</urlset>`);
    expect(page.text.split("\n")).toHaveLength(501);
    expect(page.text).toContain("(100 more entries are not shown.)");
  });
});
