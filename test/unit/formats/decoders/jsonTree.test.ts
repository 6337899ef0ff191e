// Spans stand where the values stand, in any strict JSON.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { findMember, type JsonNode, parseStringSpan, readValue } from "../../../../src/formats/decoders/jsonTree.ts";

function rebuild(text: string, node: JsonNode): unknown {
  if (node.kind === "object") {
    return Object.fromEntries(node.members.map((member) => [member.key, rebuild(text, member.value)]));
  }
  return node.kind === "array"
    ? node.elements.map((element) => rebuild(text, element))
    : JSON.parse(text.slice(node.start, node.end));
}

describe("readValue", () => {
  it("finds every value of any strict JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "medium" }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const root = readValue(text)?.node;
        expect(root && rebuild(text, root)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("keeps duplicate keys apart and lets the last one count", () => {
    const text = '{"a": 1, "a": 2}';
    const root = readValue(text)?.node;
    expect(root?.members.map((member) => text.slice(member.keyStart, member.value.end))).toEqual(['"a": 1', '"a": 2']);
    const last = root && findMember(root, "a");
    expect(last && text.slice(last.value.start, last.value.end)).toBe("2");
  });

  it("decodes escaped keys and strings that end in backslashes", () => {
    const text = '{"k\\"\\\\": "v\\\\"}';
    const member = readValue(text)?.node.members[0];
    expect(member?.key).toBe('k"\\');
    expect(member && parseStringSpan(text, member.value)).toBe("v\\");
  });

  it("refuses what is not strict or too deep", () => {
    expect(readValue("{'a': 1}")).toBeUndefined();
    expect(readValue(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toBeUndefined();
  });
});
