// A value as its strict text and the tree of it, however large: readers of bodies build none beyond their limits.
import { isObject, type JsonValue } from "../../src/core/messages.ts";
import type { JsonNode, ValueAt } from "../../src/formats/decoders/jsonTree.ts";

export function valueTree(value: JsonValue): ValueAt {
  return { text: JSON.stringify(value), node: nodeOf(value, 0) };
}

function nodeOf(value: JsonValue, start: number): JsonNode {
  let at = start + 1;
  if (Array.isArray(value)) {
    const elements = value.map((one) => {
      const node = nodeOf(one, at);
      at = node.end + 1;
      return node;
    });
    return { kind: "array", start, end: Math.max(at, start + 2), members: [], elements };
  }
  if (isObject(value)) {
    const members = Object.keys(value).map((key) => {
      const [keyStart, keyEnd] = [at, at + JSON.stringify(key).length];
      const member = { key, keyStart, keyEnd, value: nodeOf(value[key] ?? null, keyEnd + 1) };
      at = member.value.end + 1;
      return member;
    });
    return { kind: "object", start, end: Math.max(at, start + 2), members, elements: [] };
  }
  const type = value === null ? "null" : typeof value;
  const kind = type === "string" || type === "number" || type === "boolean" ? type : "null";
  return { kind, start, end: start + JSON.stringify(value).length, members: [], elements: [] };
}
