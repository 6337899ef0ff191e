// The arguments of a call that is to be written: JSON text, and the values in it with their digits kept. Knows no family.
import { readValue, sliceOf, stringAt, type ValueAt } from "../bodies/jsonSpans.ts";

/** The arguments as JSON text of an object, verbatim where they are one; else an object whose only member has the text, so that nothing is lost. */
export function objectText(text: string): string {
  return readValue(text)?.node.kind === "object" ? text.trim() : JSON.stringify({ arguments: text });
}

/** The members of the arguments; of a key that occurs twice, the last value. */
export function argumentsOf(text: string): readonly (readonly [key: string, value: ValueAt])[] {
  const object = objectText(text);
  const node = readValue(object)?.node;
  return node ? membersOf({ text: object, node }) : [];
}

export function membersOf({ text, node }: ValueAt): readonly (readonly [key: string, value: ValueAt])[] {
  return [...new Map(node.members.map((member) => [member.key, { text, node: member.value }]))];
}

export function elementsOf({ text, node }: ValueAt): readonly ValueAt[] {
  return node.elements.map((element) => ({ text, node: element }));
}

/** A string's characters, without quotes and escapes; of any other value its JSON text. */
export function rawText(value: ValueAt): string {
  return value.node.kind === "string" ? stringAt(value.text, value.node) : sliceOf(value);
}
