// Where an action may be redirected to.
import { expect, it } from "@jest/globals";
import { mayRedirect, readRedirectOrigin } from "../../../../src/core/http/redirectOrigins.ts";

const OWN = "http://api.test:8080/v1";

it.each([
  ["http://api.test:8080/other", []],
  ["https://files.test/a", ["https://files.test"]],
  ["https://files.test/a", ["files.test"]],
  ["http://files.test/a", ["files.test"]],
  ["https://a.b.files.test./a", ["*.files.test"]],
  ["https://a.files.test:8443/a", ["https://*.files.test:8443"]],
])("mayRedirect lets %s pass for %j", (target, written) => {
  expect(allows(target, written)).toBe(true);
});

it.each([
  ["https://api.test:8080/", []],
  ["http://api.test/", []],
  ["http://files.test/a", ["https://files.test"]],
  ["https://files.test/a", ["*.files.test"]],
  ["https://evilfiles.test/a", ["*.files.test"]],
  ["https://files.test.evil.test/a", ["files.test", "*.files.test"]],
  ["https://files.test:444/a", ["files.test"]],
  ["ftp://files.test/a", ["files.test"]],
  ["javascript:0", ["files.test"]],
])("mayRedirect refuses %s for %j", (target, written) => {
  expect(allows(target, written)).toBe(false);
});

it.each([
  "",
  "*",
  "https://*",
  "a.*.test",
  "*.127.0.0.1",
  "https://a.test/path",
  "ftp://a.test",
  "https://u:p@a.test",
  "a.test:99999",
])("readRedirectOrigin reads no origin in %j", (text) => {
  expect(readRedirectOrigin(text)).toBeUndefined();
});

function allows(target: string, written: readonly string[]): boolean {
  const origins = written.map((text) => readRedirectOrigin(text) ?? { host: "", port: "" });
  return mayRedirect(new URL(target), new URL(OWN), origins);
}
