// The title of a session: its first user message.
import { joinText } from "../../core/messages.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { SessionStore } from "../../core/stores/SessionStore.ts";

/** Number of first messages among which a user message is searched. */
const OPENING = 10;

/** Empty if the message is no longer stored. */
export async function readSessionTitle(sessions: Pick<SessionStore, "oldest">, session: OwnerKey): Promise<string> {
  const first = (await sessions.oldest(session, OPENING)).find(({ role }) => role === "user");
  return first ? joinText(first.content) : "";
}
