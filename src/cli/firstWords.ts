// What somebody first said in a session: how a person knows it again. Knows no command.
import { textOf } from "../core/messages.ts";
import type { OwnedKey, SessionStore } from "../core/stores.ts";

/** Among so many first messages somebody has said something. */
const OPENING = 10;

/** Empty where that is not kept any more. */
export async function firstWords(sessions: Pick<SessionStore, "oldest">, session: OwnedKey): Promise<string> {
  const first = (await sessions.oldest(session, OPENING)).find(({ role }) => role === "user");
  return first ? textOf(first.content) : "";
}
