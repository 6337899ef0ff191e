// Where a URL leads, asked again and again.
import { describe, expect, it } from "@jest/globals";
import { parseAddress, resolveOrigin } from "../../../src/network/parseUrl.ts";
import { exchange } from "../../support/network/fakeServer.ts";

describe("addressOf", () => {
  it.each([
    "http://models.test:8000/v1/chat/completions",
    "HTTPS://Models.Test:443/a%20b?x=1&y=%2F#z",
    "http://user:secret@models.test/",
    `http://models.test/${"long/".repeat(1_000)}`,
    "file:///etc/passwd",
  ])("says the same of %s however often it is asked: what the URL says", (text) => {
    const { origin, protocol, host, pathname, search, username } = new URL(text);
    const said = { origin, protocol, host, path: `${pathname}${search}`, holdsCredentials: username !== "" };
    expect([parseAddress(text), parseAddress(text)]).toEqual([said, said]);
  });

  it("knows no address of what is no URL, also when it has forgotten that it was asked", () => {
    for (let n = 0; n < 600; n += 1) expect(parseAddress(`no url ${n}`)).toBeUndefined();
    for (let n = 0; n < 600; n += 1) expect(parseAddress(`http://host-${n}.test/`)?.host).toBe(`host-${n}.test`);
    expect(parseAddress("no url 0")).toBeUndefined();
    expect(resolveOrigin(exchange("no url 0", { key: "up/model" }))).toBe("up/model");
  });
});
