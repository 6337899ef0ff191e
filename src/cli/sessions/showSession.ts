// `postel sessions ID`: shows a stored conversation. Changes nothing.
import { createFailure, PostelError } from "../../core/failures.ts";
import { joinText, type Message } from "../../core/messages.ts";
import { wireSession, wireStoredMessage } from "../../server/messages/recordJson.ts";
import { escapeControls } from "../../telemetry/escapeControls.ts";
import { type OwnedFlags, withStore } from "../options/openExistingStore.ts";
import { formatTime } from "../output/format.ts";
import { renderFacts } from "../output/table.ts";
import { writeNote, writeText } from "../output/terminal.ts";

/** Resolves with the exit status: 1 if there is no store. @throws PostelError `session_not_found`. */
export async function showSession(id: string, flags: OwnedFlags): Promise<number> {
  const status = await withStore(flags, async ({ store, owner, place }) => {
    const key = { owner, id };
    const session = await store.sessions.get(key);
    if (!session) {
      const message = `There is no session ${JSON.stringify(id)} ${place}.`;
      throw new PostelError(createFailure("session_not_found", message));
    }
    const messages = await store.sessions.messages(key);
    if (flags.json) {
      const data = { ...wireSession(session), messages: messages.map(wireStoredMessage) };
      writeText(`${JSON.stringify(data, null, 2)}\n`);
      return 0;
    }
    const { agent, mode, createdAt, updatedAt, waitingRun } = session;
    const moments = [["began", formatTime(createdAt)] as const, ["used", formatTime(updatedAt)] as const];
    writeText(renderFacts([["session", session.id], ["agent", agent], ["mode", mode], ...moments]));
    const gone = session.messages - messages.length;
    if (gone > 0) writeNote(`The oldest ${gone} of its messages are no longer kept.`);
    writeText(messages.map(inWords).join(""));
    if (waitingRun !== undefined) writeNote(`It waits for a person: postel runs ${waitingRun}`);
    return 0;
  });
  return status ?? 1;
}

/** The role begins a line and its text is indented by two blanks, so that no text can imitate another role. */
function inWords({ role, content, name, toolCalls = [], isSummary }: Message): string {
  const who = [isSummary ? "summary" : role, name].filter((part) => part !== undefined).join(" ");
  const beside = typeof content === "object" ? (content ?? []).filter(({ type }) => type !== "text") : [];
  const said = [
    joinText(content),
    ...beside.map(({ type }) => `[${type}]`),
    ...toolCalls.map((call) => `calls ${call.name} ${call.arguments}`),
  ];
  const lines = said.filter((part) => part !== "").flatMap((part) => part.split(LINE_END));
  return `\n${[who.replaceAll(LINE_END, " "), ...lines.map((line) => `  ${line}`)].map(escapeControls).join("\n")}\n`;
}

const LINE_END = /\r\n|[\n\r\u0085\u2028\u2029]/g;
