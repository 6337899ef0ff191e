// The family of a call by the spelling of its mark. Knows no wrappers.
import { familyOfElements, familyOfForm } from "../../families/tables.ts";
import type { Tag } from "../../text/Tag.ts";
import { nameOf } from "./callMarks.ts";

/** The family of a call mark whose spelling belongs to one family alone. */
export function familyOfCall(tag: Tag): string | undefined {
  const own = familyOfElements("prefix", tag.prefix) ?? familyOfElements("names", tag.name);
  if (own !== undefined || tag.name !== "function" || tag.value !== undefined || tag.prefix !== "") return own;
  return familyOfElements("function", nameOf(tag) === undefined ? "child" : "name");
}

/** The family of a call mark that no wrapper stands around. */
export function looseFamilyOf(tag: Tag): string {
  const loose =
    tag.name === "function" ? familyOfElements("function", "value") : familyOfElements("loosePrefix", tag.prefix);
  return familyOfCall(tag) ?? loose ?? familyOfForm("invoke");
}
