// Looks up the meaning and the format of a marker in or around one call, by its spelling.
import type { Argument } from "../../decoders/CallCandidate.ts";
import type { Tag } from "../../scanner/Tag.ts";
import { ARGUMENT_CHILDREN, CALL_NAMES, NAME_CHILDREN, PAIR_NAMES, PARAMETER_NAMES } from "../../specs/callTags.ts";
import { findElementFormat, getFormatForForm, TURN_ENDS, WRAPPER_NAMES } from "../../specs/lookupTables.ts";
import { normalizeName } from "../../validation/resolveToolName.ts";

/** Returns true for a marker that opens one call with its name in it, or one whose children name it. */
export function opensCall(tag: Tag): boolean {
  if (tag.isClosing) return false;
  if (CALL_NAMES.has(tag.name)) return true;
  return getName(tag) !== undefined && (WRAPPER_NAMES.has(tag.name) || tag.name === "tool");
}

/** Returns a marker's name as the format specs spell it. */
export function getSpelling(tag: Tag): string {
  return tag.isClosing ? `/${tag.name}` : tag.name;
}

/** Returns the call's name from its opening marker. */
export function getName(tag: Tag): string | undefined {
  return tag.value ?? tag.attributes.get("name") ?? tag.attributes.get("tool") ?? tag.attributes.get("function");
}

export const isPairTag = (tag: Tag): boolean => PAIR_NAMES.has(tag.name);
export const isNameChild = (tag: Tag): boolean => !tag.isClosing && NAME_CHILDREN.has(tag.name);

/** Returns the key in a parameter's opening marker: `<parameter=K>`, `<parameter name="K">`, `<arg key="K">`. */
export function getParameterKey(tag: Tag): string | undefined {
  if (!PARAMETER_NAMES.has(tag.name)) return undefined;
  return tag.value ?? tag.attributes.get("name") ?? tag.attributes.get("key") ?? tag.attributes.get("k");
}

/** The type that the wire gives a value: a `string="true|false"` flag or a `type` attribute. */
export function detectArgumentForm(tag: Tag): Argument["form"] {
  const flag = tag.attributes.get("string");
  if (flag !== undefined) return flag === "true" ? "string" : "json";
  const type = tag.prefix === "xtml" ? tag.attributes.get("type") : undefined;
  if (type !== undefined) return type === "string" ? "string" : "json";
  return "raw";
}

/** Returns true if `close` ends the call that `open` began. A call that began with its name alone has a marker of one format as its end. */
export function isCallCloser(closeTag: Tag, openTag: Tag | undefined): boolean {
  if (!openTag) return closeTag.name === "|tool_call:end|";
  if (!closeTag.isClosing) return false;
  if (CALL_NAMES.has(closeTag.name) && CALL_NAMES.has(openTag.name)) return true;
  return (
    closeTag.name === openTag.name ||
    (closeTag.prefix === openTag.prefix && normalizeName(closeTag.name) === normalizeName(openTag.name))
  );
}

/** Returns true if `close` is the closing element of `open`. The namespace may be missing; the suffix must match. */
export function isElementCloser(closeTag: Tag, openTag: Tag): boolean {
  const isSame = closeTag.name === openTag.name && closeTag.suffix === openTag.suffix;
  return closeTag.isClosing && isSame && (closeTag.prefix === openTag.prefix || closeTag.prefix === "");
}

/** Returns true for a marker of another dialect than the value's. Inside the value it is data. */
export function isForeign(tag: Tag, value: Tag): boolean {
  if (value.suffix !== "" && tag.suffix !== value.suffix) return true;
  return tag.prefix !== value.prefix && (isToken(tag.prefix) || isToken(value.prefix));
}

/** Returns true for a prefix of special tokens, which no model writes by accident. */
export function isToken(prefix: string): boolean {
  return prefix === "xtml" || prefix.startsWith("|");
}

/** Returns true for a marker that no value contains unless it quotes it: of a wrapper, a call, or the turn. */
export function isOutside(tag: Tag): boolean {
  return WRAPPER_NAMES.has(tag.name) || CALL_NAMES.has(tag.name) || TURN_ENDS.has(tag.name);
}

/** Returns true for a marker that can only stand between two values or after the last one. */
export function isStructure(tag: Tag): boolean {
  if (isOutside(tag) || PAIR_NAMES.has(tag.name) || ARGUMENT_CHILDREN.has(tag.name)) return true;
  if (!tag.isClosing && (PARAMETER_NAMES.has(tag.name) || NAME_CHILDREN.has(tag.name))) return true;
  return tag.name === "server_name" || tag.prefix === "xtml" || tag.name.startsWith("|");
}

/** Returns the format of a call marker whose spelling belongs to one format alone. */
export function resolveCallFormat(tag: Tag): string | undefined {
  const ownFormat = findElementFormat("prefix", tag.prefix) ?? findElementFormat("names", tag.name);
  if (ownFormat !== undefined || tag.name !== "function" || tag.value !== undefined || tag.prefix !== "")
    return ownFormat;
  return findElementFormat("function", getName(tag) === undefined ? "child" : "name");
}

/** Returns the format of a call marker without a wrapper. */
export function resolveLooseFormat(tag: Tag): string {
  const loose =
    tag.name === "function" ? findElementFormat("function", "value") : findElementFormat("loosePrefix", tag.prefix);
  return resolveCallFormat(tag) ?? loose ?? getFormatForForm("invoke");
}

/** Names for which the tag reader reads on. It passes an empty name for prefixes between bars. */
export const ANY_NAME = (): boolean => true;
export const PAIR_NAME = (name: string): boolean => PAIR_NAMES.has(name);
export const OUTSIDE_NAME = (name: string, prefix: string): boolean =>
  name === "" || WRAPPER_NAMES.has(name) || CALL_NAMES.has(name) || TURN_ENDS.has(name) || prefix === "xtml";
export const INSIDE_NAME = (name: string, prefix: string): boolean =>
  OUTSIDE_NAME(name, prefix) || PARAMETER_NAMES.has(name) || PAIR_NAMES.has(name) || name === "tool";
