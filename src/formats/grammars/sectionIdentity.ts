// Who is called, where a section's marks give ids or types in the place of names. Knows no marks.
import type { CallCandidate } from "../CallCandidate.ts";
import { readSpans } from "../decoders/jsonSpans.ts";
import type { Turn } from "../Turn.ts";

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

/** Ids without a name occur: the call is the one tool's whose parameters its arguments are, if there is exactly one. */
export function namedByArguments(turn: Turn, call: CallCandidate, family: string): CallCandidate {
  if (turn.resolve(call.name) !== undefined || !NAMELESS_ID.test(call.name)) return call;
  const keys = call.arguments.type === "json" ? keysOf(call.arguments.text) : [];
  const fitting = turn.options.tools.filter((tool) => {
    const known = turn.parameters(tool.name);
    return keys.every((key) => known.includes(key)) && turn.fit([{ ...call, name: tool.name }], family);
  });
  const [only, second] = fitting;
  return only && !second ? { ...call, name: only.name, repairs: [...call.repairs, "name-by-arguments"] } : call;
}

/** `call12345` and the ids that other servers make. */
const NAMELESS_ID = /^call_?[A-Za-z0-9]*\d[A-Za-z0-9]*(?::\d+)?$/;

function keysOf(strictJson: string): readonly string[] {
  const root = readSpans(strictJson);
  return root?.kind === "object" ? root.members.map((member) => member.key) : [];
}
