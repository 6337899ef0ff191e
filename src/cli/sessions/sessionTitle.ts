// What somebody first said in a session: how a person knows it again. Knows no command.
import { joinText } from "../../core/messages.ts";
import type { OwnerKey, SessionStore } from "../../core/stores.ts";

/** Among so many first messages somebody has said something. */
const OPENING = 10;

/** Empty where that is not kept any more. */
export async function readSessionTitle(sessions: Pick<SessionStore, "oldest">, session: OwnerKey): Promise<string> {
  const first = (await sessions.oldest(session, OPENING)).find(({ role }) => role === "user");
  return first ? joinText(first.content) : "";
}
