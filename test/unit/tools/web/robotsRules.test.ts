// What a robots.txt means, by the rules of RFC 9309 and its own examples; a table, since each row is a rule that sites rely on.
import { describe, expect, it } from "@jest/globals";
import { isAllowed, parseRobotsRules } from "../../../../src/tools/web/robotsRules.ts";

const never = new AbortController().signal;

async function allows(text: string, path: string, product = "Postel"): Promise<boolean> {
  return isAllowed(path, parseRobotsRules(text, product), never);
}

describe("robots.txt", () => {
  it.each([
    ["nothing at all", "", "/a", true],
    ["no group for anybody", "Disallow: /", "/a", true],
    ["a group for everybody", "User-agent: *\nDisallow: /", "/a", false],
    ["a group by name, whatever its case and version", "User-agent: POSTEL/2.0\nDisallow: /", "/a", false],
    ["a group of another name", "User-agent: postelbot\nDisallow: /", "/a", true],
    [
      "its own group before that of everybody",
      "User-agent: *\nDisallow: /\nUser-agent: postel\nDisallow: /b",
      "/a",
      true,
    ],
    [
      "groups of the same name as one",
      "User-agent: postel\nDisallow: /a\n\nUser-agent: x\nAllow: /\n\nUser-agent: postel\nDisallow: /b",
      "/b",
      false,
    ],
    ["several names of one group", "User-agent: x\nUser-agent: postel\nDisallow: /a", "/a", false],
    [
      "a name behind a rule as the beginning of a group",
      "User-agent: postel\nAllow: /\nUser-agent: x\nDisallow: /",
      "/a",
      true,
    ],
    ["an empty group of its own", "User-agent: *\nDisallow: /\nUser-agent: postel\nDisallow:", "/a", true],
    ["the longest rule", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true],
    ["the longest rule, in any order", "User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b/c", false],
    ["of two alike the one that allows", "User-agent: *\nDisallow: /page\nAllow: /page", "/page", true],
    ["of two alike the one that allows, in any order", "User-agent: *\nAllow: /page\nDisallow: /page", "/page", true],
    ["paths by their case", "User-agent: *\nDisallow: /A", "/a", true],
    ["a star", "User-agent: *\nDisallow: /*/private", "/a/b/private/c", false],
    ["a star that stands for nothing", "User-agent: *\nDisallow: /a*b", "/ab", false],
    ["an end", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf", false],
    ["an end that is none", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf?b", true],
    ["a query", "User-agent: *\nDisallow: /*?print", "/a?print=1", false],
    ["encoded signs as themselves", "User-agent: *\nDisallow: /%7Ea/%e4", "/~a/%E4", false],
    ["what is not encoded as if it were", "User-agent: *\nDisallow: /ä", "/%C3%A4", false],
    ["an encoded star as no star", "User-agent: *\nDisallow: /a%2Ab", "/aXb", true],
    ["comments and blanks", "  user-agent : *   # all\n\n  DISALLOW:  /a  # not this", "/a", false],
    ["lines that end in any way", "User-agent: *\rDisallow: /a\r\nDisallow: /b", "/b", false],
    ["a mark of byte order", "\ufeffUser-agent: *\nDisallow: /", "/a", false],
    [
      "what it does not know as if it were not there",
      "User-agent: postel\nCrawl-delay: 5\nSitemap: https://x/y\nUser-agent: x\nDisallow: /a",
      "/a",
      false,
    ],
    ["a page of no text", "<!doctype html><p>User-agent: *</p>", "/a", true],
  ] as const)("takes %s", async (_, text, path, expected) => {
    expect(await allows(text, path)).toBe(expected);
  });

  it("of half a megabyte of patterns holds nobody up", async () => {
    const text = `User-agent: *\n${"Disallow: /*a*b*a*b*c\n".repeat(22_000)}`;
    const rules = parseRobotsRules(text, "postel");
    const started = performance.now();
    expect(await isAllowed(`/${"ab".repeat(1_000)}`, rules, never)).toBe(true);
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
