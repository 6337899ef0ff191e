// Who is called, where a section's marks give ids or types in the place of names. Knows no marks.
import { SECTION_HEADS } from "../../families/tables.ts";

/** The recipients that are people: what follows is the answer. */
export function isAnswer(recipient: string): boolean {
  return recipient === "all" || recipient === "user";
}

/** `functions.NAME:3` is a wire id; its last dot is no separator, for names may hold dots. */
export function identityOf(
  family: string,
  { head, name }: { readonly head: string; readonly name: string | undefined },
): { readonly name: string; readonly id: string | undefined } {
  const kind = SECTION_HEADS.get(family);
  const isId = kind === "named-id" ? head !== "" : kind === "id" && name !== undefined;
  return { name: name ?? head, id: isId ? head : undefined };
}
