// Who is called, where a section's marks give ids or types in the place of names. Knows no marks.

/** The recipients that are people: what follows is the answer. */
export function isAnswer(recipient: string): boolean {
  return recipient === "all" || recipient === "user";
}

/** `functions.NAME:3` is a wire id; its last dot is no separator, for names may hold dots. */
export function identityOf(
  family: string,
  { head, name }: { readonly head: string; readonly name: string | undefined },
): { readonly name: string; readonly id: string | undefined } {
  if (family === "kimi-k2") return { name: name ?? head, id: head === "" ? undefined : head };
  return { name: name ?? head, id: name !== undefined && family === "solar-open" ? head : undefined };
}
