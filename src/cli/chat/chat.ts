// `postel chat`: a conversation with an agent, in the terminal or through a pipe.
import { createFailure, PostelError, toFailure } from "../../core/failures.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { SessionMode } from "../../core/stores/SessionStore.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { openServices } from "../../gateway/openServices.ts";
import { SESSION_ID, SESSION_ID_WORDS } from "../../server/validation/pathParams.ts";
import { withTerminalStore } from "../options/defaultStore.ts";
import { loadWithUpstream, type StoreFlags, type UpstreamFlags } from "../options/loadFlags.ts";
import { ShutdownSignals } from "../output/ShutdownSignals.ts";
import { formatShellCommand } from "../output/shellCommand.ts";
import { writeError } from "../output/terminal.ts";
import { canDraw, createPrompter } from "../prompts/createPrompter.ts";
import { PipePrompter } from "../prompts/PipePrompter.ts";
import { StdinLines } from "../prompts/StdinLines.ts";
import { listModelsToTry } from "../run/modelsToTry.ts";
import { ChatSession } from "./ChatSession.ts";
import { ChatTurns } from "./ChatTurns.ts";
import { ChatView } from "./ChatView.ts";
import { PipeInput } from "./PipeInput.ts";
import { runChatCommand } from "./slashCommands.ts";
import { TerminalInput } from "./TerminalInput.ts";

export interface ChatFlags extends UpstreamFlags, StoreFlags {
  readonly agent?: string | undefined;
  readonly mode?: SessionMode | undefined;
  readonly model?: string | undefined;
  /** Its id; true: the one that was used last. Absent: a new one. */
  readonly session?: string | true | undefined;
}

/**
 * Resolves with the exit status: 0 if a user at a terminal leaves, else that of the last turn's outcome (`OUTCOMES`). @throws
 * PostelError for an unknown agent, model or session.
 */
export async function runChat(flags: ChatFlags): Promise<number> {
  const shutdownSignals = new ShutdownSignals(["SIGTERM", "SIGHUP"]);
  const { signal } = shutdownSignals;
  try {
    const status = await runChatTurns({ flags, signal });
    return shutdownSignals.status ?? status;
  } catch (error) {
    if (shutdownSignals.status === undefined) throw error;
    writeError(toFailure(error).message);
    return shutdownSignals.status;
  } finally {
    shutdownSignals.end();
  }
}

interface Asked {
  readonly flags: ChatFlags;
  /** Aborted if the chat must end before the user ends it. */
  readonly signal: AbortSignal;
}

async function runChatTurns({ flags, signal }: Asked): Promise<number> {
  const config = withTerminalStore(loadWithUpstream(flags), flags);
  const gateway = await openServices(config, { observers: [] });
  const lines = new StdinLines(process.stdin);
  // Ends a pending wait for input.
  signal.addEventListener("abort", () => lines.close(), { once: true });
  try {
    return await talkWith(gateway, { flags, signal }, lines);
  } finally {
    lines.close();
    await gateway.close();
  }
}

async function talkWith(gateway: GatewayServices, { flags, signal }: Asked, source: StdinLines): Promise<number> {
  const streams = { input: process.stdin, output: process.stdout };
  const watched = streams.input.isTTY && streams.output.isTTY;
  const draws = canDraw(streams);
  const { redact, clock } = gateway;
  const lines = draws
    ? new TerminalInput(streams)
    : new PipeInput(source, { output: streams.output, isPrompting: watched });
  const turns = new ChatTurns({
    conversation: await startChat(gateway, { flags, signal }),
    screen: new ChatView({ output: streams.output, watched: streams.output.isTTY, draws, redact, clock }),
    person: watched ? await createPrompter({ ...streams, lines: source }) : new PipePrompter(source, process.stderr),
    lines,
    watched,
    signal,
  });
  await greet(turns, watched);
  await turns.enter();
  while (!turns.isOver) {
    const message = await lines.read((await turns.conversation.mode()) === "normal" ? "normal › " : "› ");
    if (message === undefined) turns.leave();
    else await runChatCommand(message, { turns, gateway });
  }
  if (await turns.conversation.record())
    turns.screen.aside(`${comeBack(flags, turns.conversation.session)} goes on with it`);
  return watched ? 0 : turns.status;
}

async function startChat(gateway: GatewayServices, { flags, signal }: Asked): Promise<ChatSession> {
  const { session, agent, mode, model } = flags;
  const id = await resolveSession(gateway, session);
  const its = await gateway.store.sessions.get({ owner: LOCAL_CALLER.name, id });
  const models = model === undefined ? await listModelsToTry(gateway, agent ?? its?.agent, signal) : [model];
  const conversation = new ChatSession(gateway, { session: id, agent, mode, models });
  if (model !== undefined) await conversation.useModel(model, signal);
  return conversation;
}

/** @throws PostelError `invalid_request`, and `session_not_found` if there is no session yet. */
async function resolveSession({ store, ids }: GatewayServices, session: ChatFlags["session"]): Promise<string> {
  if (session === undefined) return ids.callId();
  if (session === true) {
    const [youngest] = await store.sessions.list(LOCAL_CALLER.name, { limit: 1 });
    if (youngest) return youngest.id;
    throw new PostelError(createFailure("session_not_found", "There is no session yet; begin one without --session."));
  }
  if (SESSION_ID.test(session)) return session;
  throw new PostelError(createFailure("invalid_request", `--session: the id ${SESSION_ID_WORDS}.`));
}

async function greet({ conversation, screen }: ChatTurns, watched: boolean): Promise<void> {
  const { id } = await conversation.agent();
  screen.aside(`agent ${id}, model ${conversation.model}, session ${conversation.session}`);
  if (watched) screen.aside("/help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves");
}

/** The shell command that resumes the session. */
function comeBack({ config, store, upstream, upstreamKeyEnv }: ChatFlags, session: string): string {
  const same = { config, store, upstream, "upstream-key-env": upstreamKeyEnv, session };
  return formatShellCommand(["postel", "chat"], same);
}
