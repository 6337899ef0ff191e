// What an approver could misread is written out; what a script or an emoji needs stays.
import { describe, expect, it } from "@jest/globals";
import { escapeMisleading, escapeMisleadingInJson } from "../../../../src/core/json/escapeInvisible.ts";

describe("escapeMisleading", () => {
  it.each([
    ["a sign that turns the text around", "a\u202eb", "a\\u{202e}b"],
    ["zero-width signs", "a\u200bb\ufeffc\u2060", "a\\u{200b}b\\u{feff}c\\u{2060}"],
    ["joiners between Latin letters", "pay\u200dpal\u200c", "pay\\u{200d}pal\\u{200c}"],
    ["two joiners in a row", "می\u200c\u200cخ", "می\\u{200c}\\u{200c}خ"],
    ["dashes for hyphens", "rm \u2013rf \u2212x", "rm \\u{2013}rf \\u{2212}x"],
    ["slashes, dots and colons", "https\u2236\u2215\u2215a\u2024b", "https\\u{2236}\\u{2215}\\u{2215}a\\u{2024}b"],
    ["wide punctuation in Latin text", "rm\uff0cx\uff1bid\uff5csh", "rm\\u{ff0c}x\\u{ff1b}id\\u{ff5c}sh"],
    ["quotes for apostrophes", "it\u2019s", "it\\u{2019}s"],
    ["Cyrillic letters in a Latin word", "p\u0430yp\u0430l", "p\\u{430}yp\\u{430}l"],
    ["Greek letters in a Latin word", "\u03bfk", "\\u{3bf}k"],
    ["a kana that looks like a slash in a Latin word", "etc\u30cepasswd", "etc\\u{30ce}passwd"],
    ["lines through signs", "a\u0338b/\u0337x\u20d2", "a\\u{338}b/\\u{337}x\\u{20d2}"],
    ["marks on punctuation and digits", "=\u0301 -\u0332 5\u0307", "=\\u{301} -\\u{332} 5\\u{307}"],
    ["a Devanagari mark in a Latin word", "ab\u0902c", "ab\\u{902}c"],
    ["a tag sign outside of a flag", "x\u{e0041}", "x\\u{e0041}"],
  ])("writes out %s", (_, text, written) => {
    expect(escapeMisleading(text)).toBe(written);
    const json = escapeMisleadingInJson(JSON.stringify({ text }));
    expect(JSON.parse(json)).toEqual({ text });
    expect(json).toMatch(/^[\x20-\x7e]*$|می/);
  });

  it.each([
    "plain text, with\n\ttabs",
    "naïve café, Übergrößenträger",
    "Привет, мир. Ελλάδα",
    "می‌خواهم کتاب‌ها",
    "क्‍ष ন্‍ত ශ්‍රී",
    "👨‍👩‍👧‍👦 ❤️‍🔥 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ 🇩🇪",
    "अर्थात्‌ श्रीमान्‌ क्‍ এক্‍",
    "حتماً‌اند",
    "Cafe\u0301, Việt e\u0302\u0301, עִבְרִית, й",
    "你好，世界（笑）",
    "Tシャツ, USBメモリ",
  ])("leaves %j as it is", (text) => {
    expect(escapeMisleading(text)).toBe(text);
    expect(escapeMisleadingInJson(JSON.stringify(text))).toBe(JSON.stringify(text));
  });
});

it("escapeMisleadingInJson writes out all that is not ASCII in a text that is too long to be read, and keeps its value", () => {
  const text = "größe 👨‍👩‍👧 ".repeat(2_000);
  const json = escapeMisleadingInJson(JSON.stringify(text));
  expect(json).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(json)).toBe(text);
});

describe("escapeMisleadingInJson", () => {
  it.each([
    ["one sign over and over", "é".repeat(100_000)],
    ["signs of two units", "𝒳".repeat(50_000)],
    ["signs that turn the text around", "\u202e".repeat(100_000)],
    ["single signs between ASCII", "INSERT 'ü' ".repeat(10_000)],
    [
      "every sign of the first plane that is one",
      Array.from({ length: 0xd800 }, (_, unit) => String.fromCharCode(unit)).join(""),
    ],
  ])("keeps the value of a long text of %s, in ASCII", (_, text) => {
    const written = escapeMisleadingInJson(JSON.stringify({ text }));
    expect(JSON.parse(written)).toEqual({ text });
    expect(/[^\x20-\x7e]/.test(written)).toBe(false);
  });
});
