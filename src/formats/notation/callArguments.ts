// The arguments of a call that is to be written: JSON text, and the values in it with their digits kept. Knows no family.
import { type JsonNode, readValue, stringAt } from "../bodies/jsonSpans.ts";

/** A value and the JSON text that it stands in. */
export interface ArgumentValue {
  readonly text: string;
  readonly node: JsonNode;
}

/** The arguments as JSON text of an object, verbatim where they are one; else an object whose only member has the text, so that nothing is lost. */
export function objectText(text: string): string {
  return readValue(text)?.node.kind === "object" ? text.trim() : JSON.stringify({ arguments: text });
}

/** The members of the arguments; of a key that occurs twice, the last value. */
export function argumentsOf(text: string): readonly (readonly [key: string, value: ArgumentValue])[] {
  const object = objectText(text);
  const node = readValue(object)?.node;
  return node ? membersOf({ text: object, node }) : [];
}

export function membersOf({ text, node }: ArgumentValue): readonly (readonly [key: string, value: ArgumentValue])[] {
  return [...new Map(node.members.map((member) => [member.key, { text, node: member.value }]))];
}

export function elementsOf({ text, node }: ArgumentValue): readonly ArgumentValue[] {
  return node.elements.map((element) => ({ text, node: element }));
}

/** A string's characters, without quotes and escapes; of any other value its JSON text. */
export function rawText({ text, node }: ArgumentValue): string {
  return node.kind === "string" ? stringAt(text, node) : text.slice(node.start, node.end);
}
