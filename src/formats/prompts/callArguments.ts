// Arguments of a call in a prompt: JSON text, and its values with their digits unchanged.
import { parseStringSpan, readValue, sliceValue, type ValueAt } from "../decoders/jsonTree.ts";

/** Returns the arguments as JSON text of an object: verbatim if they are one, else an object with the text as its only member. */
export function requireObject(text: string): string {
  return readValue(text)?.node.kind === "object" ? text.trim() : JSON.stringify({ arguments: text });
}

/** The members of the arguments; of a key that occurs twice, the last value. */
export function parseArguments(text: string): readonly (readonly [key: string, value: ValueAt])[] {
  const object = requireObject(text);
  const node = readValue(object)?.node;
  return node ? getMembers({ text: object, node }) : [];
}

export function getMembers({ text, node }: ValueAt): readonly (readonly [key: string, value: ValueAt])[] {
  return [...new Map(node.members.map((member) => [member.key, { text, node: member.value }]))];
}

export function getElements({ text, node }: ValueAt): readonly ValueAt[] {
  return node.elements.map((element) => ({ text, node: element }));
}

/** A string's characters, without quotes and escapes; of any other value its JSON text. */
export function getRawText(value: ValueAt): string {
  return value.node.kind === "string" ? parseStringSpan(value.text, value.node) : sliceValue(value);
}
