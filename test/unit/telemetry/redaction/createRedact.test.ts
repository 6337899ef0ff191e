// What the redactor finds, in which spellings, and what it leaves alone.
import { describe, expect, it } from "@jest/globals";
import { createRedact, redactKnown } from "../../../../src/telemetry/redaction/createRedact.ts";
import { canaries, ENCODINGS } from "../../../support/canaries.ts";

const CANARIES = canaries(50);
const redact = createRedact(CANARIES);

describe("fifty secrets in eight encodings", () => {
  it.each(ENCODINGS)("leave nothing behind that was written %s", (_, encode) => {
    for (const secret of CANARIES) {
      const text = `before ${encode(secret)} after`;
      expect(redact(text)).not.toContain(encode(secret).slice(1, -1));
      expect(redact(text)).toMatch(/^before .{0,3}\[redacted\].{0,3} after$/);
    }
  });

  it.each(ENCODINGS)("are found from six characters on, cut at any place, written %s", (_, encode) => {
    for (const secret of CANARIES.slice(0, 5)) {
      for (let length = 6; length < secret.length; length += 1) {
        const cut = encode(secret.slice(0, length));
        expect(redact(`a ${cut}`)).toMatch(/^a .{0,3}\[redacted\].{0,4}$/);
      }
    }
  });
});

describe("a secret", () => {
  it.each([
    ["twice JSON", JSON.stringify(JSON.stringify('q"uo\\te-17-secret'))],
    ["twice URL-encoded", encodeURIComponent(encodeURIComponent('q"uo\\te-17-secret'))],
    ["with HTML's entities", "q&quot;uo\\te-17-secret"],
    ["one character escaped", 'q\\"u\\u006f\\\\te-17-secret'],
  ])("with signs of escaping in it is found %s", (_, text) => {
    const redacted = redactKnown(['q"uo\\te-17-secret'])(text);
    expect(redacted).toContain("[redacted]");
    expect(redacted).not.toContain("17-secret");
  });

  it("that holds what looks like an escape is found as it stands and encoded", () => {
    const secret = "abc%41def&amp;9";
    expect(redactKnown([secret])(`${secret} ${encodeURIComponent(secret)}`)).toBe("[redacted] [redacted]");
  });

  it("behind an escaped character takes the whole escape with it, so JSON stays JSON", () => {
    const line = JSON.stringify({ said: "a\n3w-secret-7 b\\n3w-secret-7" });
    expect(JSON.parse(redactKnown(["n3w-secret-7"])(line))).toEqual({ said: "a[redacted] b[redacted]" });
  });

  it("that is a signed token keeps to itself what all such tokens begin with", () => {
    const own = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl";
    const other = "eyJhbGciOiJIUzI1NiJ9.eyJuYW1lIjoieCJ9.b3RoZXI";
    expect(redactKnown([own])(`${own} ${other}`)).toBe(`[redacted] ${other}`);
  });

  it("that is a word is taken out as a word", () => {
    expect(redactKnown(["ollama"])("ollama, ollamas; production")).toBe("[redacted], ollamas; production");
  });
});

describe("ordinary text", () => {
  it("stays as it is, whatever secrets there are", () => {
    const text = `CANA sk- ${"x".repeat(200)} 100% &amp; C:\\new\\table {"a": "\\u00e9\\n"} ${Buffer.from("hello").toString("base64")}`;
    expect(redact(text)).toBe(text);
    expect(createRedact([])(text)).toBe(text);
    expect(createRedact(["short", ""])("short")).toBe("short");
  });
});
