// Commands of the chat itself: lines that begin with `/`. Everything else is sent to the agent.
import { AgentToolset, getShownName } from "../../agents/planning/AgentToolset.ts";
import { resolveModeTools } from "../../agents/planning/resolveAgent.ts";
import { suggestName } from "../../config/load/suggestName.ts";
import type { AgentTool } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import { SESSION_MODES, type SessionMode } from "../../core/stores/SessionStore.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { truncate } from "../output/format.ts";
import type { ChatTurns } from "./ChatTurns.ts";

export interface Spoken {
  readonly turns: ChatTurns;
  readonly gateway: Pick<GatewayServices, "registry" | "directory" | "store">;
}

interface Command {
  readonly name: string;
  /** Arguments after the name, for the help. */
  readonly argumentHint?: string;
  readonly says: string;
  run(spoken: Spoken, given: string): Promise<void>;
}

/** Handles one message: runs a command, reports an unknown one, or sends it to the agent. */
export async function runChatCommand(message: string, spoken: Spoken): Promise<void> {
  const { turns } = spoken;
  const text = message.trim();
  if (text === "") return;
  try {
    if (text.startsWith("//")) await turns.answer(text.slice(1));
    else if (text.startsWith("/")) await obey(text, spoken);
    else await turns.answer(message);
  } catch (error) {
    turns.fail(error);
  }
}

async function obey(text: string, spoken: Spoken): Promise<void> {
  const [, name = "", argument = ""] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  const command = COMMANDS.find((one) => one.name === name);
  if (command && (argument === "" || command.argumentHint !== undefined)) {
    await command.run(spoken, argument);
    return;
  }
  const reason = command
    ? `${name} takes nothing behind it: it ${command.says}.`
    : `There is no command ${name}${suggestName(
        name,
        COMMANDS.map((one) => one.name),
      )}; /help lists them.`;
  throw createUsageError(`${reason} A message that begins with a slash is sent with two.`);
}

const COMMANDS: readonly Command[] = [
  {
    name: "/help",
    says: "lists the commands",
    async run({ turns }) {
      const heads = COMMANDS.map(({ name, argumentHint }) =>
        argumentHint === undefined ? name : `${name} ${argumentHint}`,
      );
      const width = heads.reduce((widest, { length }) => Math.max(widest, length), 0);
      for (const [at, { says }] of COMMANDS.entries()) turns.screen.line(`${(heads[at] ?? "").padEnd(width)}  ${says}`);
      turns.screen.line(`${"//…".padEnd(width)}  sends a message that begins with /`);
    },
  },
  {
    name: "/mode",
    argumentHint: "[agent|normal]",
    says: "how you are answered: with the agent's tools, or in words alone",
    async run({ turns }, argument) {
      if (argument === "") return turns.screen.line(`mode: ${await turns.conversation.mode()}`);
      const mode = SESSION_MODES.find((one) => one === argument);
      if (!mode) throw createUsageError(`There is no mode ${argument}; there are: ${SESSION_MODES.join(", ")}.`);
      await setMode(turns, mode);
    },
  },
  {
    name: "/agent",
    says: "answers with the agent's tools; another agent takes `postel chat --agent ID`",
    run: ({ turns }) => setMode(turns, "agent"),
  },
  {
    name: "/normal",
    says: "answers in words alone, as /mode normal does",
    run: ({ turns }) => setMode(turns, "normal"),
  },
  {
    name: "/new",
    says: "begins another session; this one is kept",
    async run({ turns }) {
      const { session } = turns.conversation;
      await turns.conversation.startNew();
      turns.screen.aside(`session ${turns.conversation.session}; /session ${session} goes back`);
    },
  },
  {
    name: "/reset",
    says: "forgets all of this session, once you have agreed",
    async run({ turns }) {
      const message = "Forget everything that was said in this session?";
      if ((await turns.person.choose({ message, options: ["Keep it", "Forget it"] })) !== 1)
        return turns.screen.aside("nothing was forgotten");
      await turns.conversation.reset();
      turns.screen.aside("the session begins anew");
    },
  },
  {
    name: "/session",
    argumentHint: "[ID]",
    says: "which session this is, and the others; with an id: goes there",
    async run({ turns }, argument) {
      if (argument === "") return await listSessions(turns);
      await turns.conversation.switchSession(argument);
      await turns.enter();
    },
  },
  {
    name: "/model",
    argumentHint: "[NAME]",
    says: "which model answers; with a name: that one does from now on",
    async run({ turns }, argument) {
      if (argument !== "") await turns.conversation.useModel(argument, new AbortController().signal);
      turns.screen.line(`model: ${turns.conversation.model}`);
    },
  },
  {
    name: "/tools",
    says: "what the agent may call, and what you are asked about first",
    run: listTools,
  },
  { name: "/retry", says: "takes the last turn back and asks it again", run: ({ turns }) => turns.retry() },
  { name: "/exit", says: "leaves; the session is kept", run: async ({ turns }) => turns.leave() },
];

async function setMode({ conversation, screen }: ChatTurns, mode: SessionMode): Promise<void> {
  await conversation.setMode(mode);
  screen.aside(mode === "agent" ? "answers with the agent's tools" : "answers in words alone");
}

const MOST_SESSIONS = 10;
const FIRST_WORDS = 60;

async function listSessions({ conversation, screen }: ChatTurns): Promise<void> {
  screen.line(`session: ${conversation.session}`);
  for (const { id, waitingRun } of await conversation.listOtherSessions(MOST_SESSIONS)) {
    if (id === conversation.session) continue;
    const waitingNote = waitingRun === undefined ? "" : " (waits for you)";
    screen.line(`${id}${waitingNote}  ${truncate(await conversation.firstWords(id), FIRST_WORDS)}`);
  }
}

async function listTools({ turns, gateway }: Spoken): Promise<void> {
  const agent = await turns.conversation.agent();
  const mode = await turns.conversation.mode();
  const { entries } = new AgentToolset(gateway.registry).resolveTools(resolveModeTools(agent, agent, mode));
  if (entries.length === 0) turns.screen.line(`none in the mode ${mode}`);
  for (const entry of entries) turns.screen.line(`${getShownName(entry)}${await asking(entry, gateway)}`);
}

async function asking(entry: AgentTool, { registry, store }: Spoken["gateway"]): Promise<string> {
  const { approval, definition } = registry.get(entry.tool) ?? {};
  const policy = entry.approval ?? approval;
  const agreed = definition && (await store.definitions.agreed(LOCAL_CALLER.name, definition));
  if (agreed?.hash !== definition?.hash) return "  asks you first: its server's words are not agreed to yet";
  if (policy === undefined || policy.type === "never") return "";
  return policy.type === "when" ? "  asks you for some arguments" : "  asks you first";
}

function createUsageError(message: string): PostelError {
  return new PostelError(createFailure("invalid_request", message));
}
