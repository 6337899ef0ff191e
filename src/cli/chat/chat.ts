// `postel chat`: a conversation with an agent, line by line, here in the terminal or in a pipe. Knows no model.
import { failureOf } from "../../agents/failureOf.ts";
import { compose, type House } from "../../compose.ts";
import { failure, PostelError } from "../../core/failures.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { SessionMode } from "../../core/stores.ts";
import { SESSION_ID, SESSION_ID_WORDS } from "../../server/pathIds.ts";
import { loadWithUpstream, type StoreFlags, type UpstreamFlags } from "../configuration.ts";
import { modelsToTry } from "../modelsToTry.ts";
import { LinePerson } from "../person/LinePerson.ts";
import { LineSource } from "../person/LineSource.ts";
import { canDraw, personAt } from "../person/personAt.ts";
import { Stopping } from "../Stopping.ts";
import { shellCommand } from "../shellCommand.ts";
import { writeError } from "../terminal.ts";
import { withTerminalStore } from "../terminalStore.ts";
import { Conversation } from "./Conversation.ts";
import { take } from "./commands.ts";
import { PlainLines } from "./PlainLines.ts";
import { Prompt } from "./Prompt.ts";
import { Screen } from "./Screen.ts";
import { Talk } from "./Talk.ts";

export interface ChatFlags extends UpstreamFlags, StoreFlags {
  readonly agent?: string | undefined;
  readonly mode?: SessionMode | undefined;
  readonly model?: string | undefined;
  /** Its id; true: the one that was used last. Absent: a new one. */
  readonly session?: string | true | undefined;
}

/**
 * Resolves with the exit status: 0 for somebody at a terminal who leaves, else that of the last turn's outcome (`OUTCOMES`).
 * @throws PostelError for an agent, a model or a session that is not there.
 */
export async function chat(flags: ChatFlags): Promise<number> {
  const stopping = new Stopping(["SIGTERM", "SIGHUP"]);
  const { signal } = stopping;
  try {
    const status = await talkIn({ flags, signal });
    return stopping.status ?? status;
  } catch (error) {
    if (stopping.status === undefined) throw error;
    writeError(failureOf(error).message);
    return stopping.status;
  } finally {
    stopping.end();
  }
}

interface Asked {
  readonly flags: ChatFlags;
  /** Aborted once the chat is to end before the person wants it to. */
  readonly signal: AbortSignal;
}

async function talkIn({ flags, signal }: Asked): Promise<number> {
  const config = withTerminalStore(loadWithUpstream(flags), flags);
  const house = await compose(config, { observers: [] });
  const lines = new LineSource(process.stdin);
  // Whoever is waited for then is there no more.
  signal.addEventListener("abort", () => lines.close(), { once: true });
  try {
    return await talkWith(house, { flags, signal }, lines);
  } finally {
    lines.close();
    await house.close();
  }
}

async function talkWith(house: House, { flags, signal }: Asked, source: LineSource): Promise<number> {
  const streams = { input: process.stdin, output: process.stdout };
  const watched = streams.input.isTTY && streams.output.isTTY;
  const draws = canDraw(streams);
  const { redact, clock } = house;
  const lines = draws ? new Prompt(streams) : new PlainLines(source, { output: streams.output, asks: watched });
  const talk = new Talk({
    conversation: await begun(house, { flags, signal }),
    screen: new Screen({ output: streams.output, watched: streams.output.isTTY, draws, redact, clock }),
    person: watched ? await personAt({ ...streams, lines: source }) : new LinePerson(source, process.stderr),
    lines,
    watched,
    signal,
  });
  await greet(talk, watched);
  await talk.enter();
  while (!talk.over) {
    const message = await lines.read((await talk.conversation.mode()) === "normal" ? "normal › " : "› ");
    if (message === undefined) talk.leave();
    else await take(message, { talk, house });
  }
  if (await talk.conversation.record())
    talk.screen.aside(`${comeBack(flags, talk.conversation.session)} goes on with it`);
  return watched ? 0 : talk.status;
}

async function begun(house: House, { flags, signal }: Asked): Promise<Conversation> {
  const { session, agent, mode, model } = flags;
  const id = await sessionOf(house, session);
  const its = await house.store.sessions.get({ owner: LOCAL_CALLER.name, id });
  const models = model === undefined ? await modelsToTry(house, agent ?? its?.agent, signal) : [model];
  const conversation = new Conversation(house, { session: id, agent, mode, models });
  if (model !== undefined) await conversation.useModel(model, signal);
  return conversation;
}

/** @throws PostelError `invalid_request`, and `session_not_found` where there is none yet. */
async function sessionOf({ store, ids }: House, session: ChatFlags["session"]): Promise<string> {
  if (session === undefined) return ids.callId();
  if (session === true) {
    const [youngest] = await store.sessions.list(LOCAL_CALLER.name, { most: 1 });
    if (youngest) return youngest.id;
    throw new PostelError(failure("session_not_found", "There is no session yet; begin one without --session."));
  }
  if (SESSION_ID.test(session)) return session;
  throw new PostelError(failure("invalid_request", `--session: the id ${SESSION_ID_WORDS}.`));
}

async function greet({ conversation, screen }: Talk, watched: boolean): Promise<void> {
  const { id } = await conversation.agent();
  screen.aside(`agent ${id}, model ${conversation.model}, session ${conversation.session}`);
  if (watched) screen.aside("/help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves");
}

/** The command that comes back to the session, as a shell reads it. */
function comeBack({ config, store, upstream, upstreamKeyEnv }: ChatFlags, session: string): string {
  const same = { config, store, upstream, "upstream-key-env": upstreamKeyEnv, session };
  return shellCommand(["postel", "chat"], same);
}
