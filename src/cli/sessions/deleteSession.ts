// `postel sessions ID --delete`: deletes a session after a confirmation.

import { createFailure, PostelError } from "../../core/failures.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { SessionRecord } from "../../core/stores/SessionStore.ts";
import { openServices } from "../../gateway/openServices.ts";
import { loadFlags } from "../options/loadFlags.ts";
import { type OwnedFlags, resolveExistingStore } from "../options/openExistingStore.ts";
import { pluralize } from "../output/format.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { createPrompter } from "../prompts/createPrompter.ts";
import { StdinLines } from "../prompts/StdinLines.ts";

export interface DeletionFlags extends OwnedFlags {
  /** True if no confirmation is needed. */
  readonly yes: boolean;
}

/**
 * Deletes the session with its messages and cancels its waiting run. Resolves with the exit status: 1 if the user declines.
 * @throws PostelError `session_not_found`, `session_busy`, and if nobody confirms.
 */
export async function deleteSession(id: string, flags: DeletionFlags): Promise<number> {
  const config = loadFlags(flags);
  const store = resolveExistingStore(config, flags);
  const { owner = LOCAL_CALLER.name } = flags;
  const gateway = await openServices({ ...config, store }, { observers: [] });
  try {
    const session = await gateway.store.sessions.get({ owner, id });
    if (!session) throw createNotFoundError(id, `of the owner ${owner} in ${store.file}`);
    if (!(flags.yes || (await isMeant(session)))) {
      writeNote("Nothing is deleted.");
      return 1;
    }
    await gateway.sessions.delete({ owner, id }, gateway.ids.requestId());
    writeText(`The session ${id} is deleted.\n`);
    return 0;
  } finally {
    await gateway.close();
  }
}

function createNotFoundError(id: string, location: string): PostelError {
  return new PostelError(createFailure("session_not_found", `There is no session ${JSON.stringify(id)} ${location}.`));
}

/** @throws PostelError if there is no terminal to ask. */
async function isMeant({ id, messages, waitingRun }: SessionRecord): Promise<boolean> {
  const { stdin, stderr } = process;
  const subject = `the session ${id} with its ${pluralize(messages, "message")}`;
  if (!stdin.isTTY || !stderr.isTTY) {
    const message = `--yes is missing: it deletes ${subject}, for good. First see it: postel sessions ${id}.`;
    throw new PostelError(createFailure("invalid_request", message));
  }
  const lines = new StdinLines(stdin);
  try {
    const person = await createPrompter({ input: stdin, output: stderr, lines });
    const waitingNote = waitingRun === undefined ? "" : " Its run that waits for a person is cancelled then.";
    const message = `Delete ${subject}, for good?${waitingNote}`;
    return (await person.choose({ message, options: ["Keep it", "Delete it"] })) === 1;
  } finally {
    lines.close();
  }
}
