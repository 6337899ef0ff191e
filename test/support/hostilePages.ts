// Pages that are written to hold up whoever takes them apart, each within the bytes that the defaults let in.

const MEGABYTE = 1_048_576;

/** By what they do; each is made when it is asked for. */
export const HOSTILE_PAGES: Readonly<Record<string, () => Buffer>> = {
  "200,000 elements within one another": () => page(`${"<div>".repeat(200_000)}x`),
  "an attribute of a megabyte of class names": () => page(`<p class="${"a ".repeat(MEGABYTE / 2)}">x</p>`),
  "100,000 attributes of one element": () => page(`<p ${range(100_000, (n) => `a${n}=x`).join(" ")}>x</p>`),
  "as many siblings as there is room for": () => page("<p>".repeat(600_000)),
  "a flood of entities": () => page(`<p>${"&lt;".repeat(450_000)}</p>`),
  "tags that are never closed": () => page("<b><i><u><a href=x><font>".repeat(80_000)),
  "quotes that are never closed": () => page('<a href="'.repeat(200_000)),
  "comments and raw texts that are never closed": () => page("<!--<script><title><textarea>".repeat(70_000)),
  "tables within tables, as deep as may be": () => page(`${"<table><tr><td><b>".repeat(60)}x`.repeat(150)),
  "as many elements as may be, as deep as may be": () =>
    page(`${"<div>".repeat(240)}text, text${"</div>".repeat(240)}`.repeat(200)),
  "a megabyte of white space": () => page(`<p>a${" \n".repeat(MEGABYTE / 2)}<b>${" ".repeat(MEGABYTE / 2)}</b>b</p>`),
  "traps for patterns in names and texts": () =>
    page(
      `<div class="${"banner-combx-".repeat(10_000)}" style="${"color:rgba(".repeat(10_000)}">${"((((,".repeat(100_000)}</div>`,
    ),
  "style sheets without an end": () =>
    page(`<style>${".a{".repeat(300_000)}</style><style>${"/*".repeat(300_000)}</style>x`),
  "a list of many items in its order": () => page(`<ol>${"<li>x".repeat(49_000)}</ol>`),
  "links without an end": () => page(range(40_000, (n) => `<a href="/${n}">${n}</a>`).join("")),
  "a table of many columns and reaching cells": () =>
    page(`<table>${`<tr>${"<td colspan=1000 rowspan=65534>x".repeat(90)}`.repeat(500)}</table>`),
};

function page(body: string): Buffer {
  return Buffer.from(`<!doctype html><html><head><title>Hostile</title></head><body>${body}`);
}

function range(length: number, each: (n: number) => string): readonly string[] {
  return Array.from({ length }, (_, n) => each(n));
}
