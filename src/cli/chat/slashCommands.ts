// Commands of the chat itself: lines that begin with `/`. Everything else is sent to the agent.
import { AgentToolset, getShownName } from "../../agents/planning/AgentToolset.ts";
import { resolveModeTools } from "../../agents/planning/resolveAgent.ts";
import { suggestName } from "../../config/load/suggestName.ts";
import type { AgentTool } from "../../core/config/configuration.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import { SESSION_MODES, type SessionMode } from "../../core/stores.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import { truncate } from "../output/format.ts";
import type { ChatTurns } from "./ChatTurns.ts";

export interface Spoken {
  readonly talk: ChatTurns;
  readonly gateway: Pick<GatewayServices, "registry" | "directory" | "store">;
}

interface Command {
  readonly name: string;
  /** Arguments after the name, for the help. */
  readonly takes?: string;
  readonly says: string;
  run(spoken: Spoken, given: string): Promise<void>;
}

/** Handles one message: runs a command, reports an unknown one, or sends it to the agent. */
export async function runChatCommand(message: string, spoken: Spoken): Promise<void> {
  const { talk } = spoken;
  const text = message.trim();
  if (text === "") return;
  try {
    if (text.startsWith("//")) await talk.answer(text.slice(1));
    else if (text.startsWith("/")) await obey(text, spoken);
    else await talk.answer(message);
  } catch (error) {
    talk.fail(error);
  }
}

async function obey(text: string, spoken: Spoken): Promise<void> {
  const [, name = "", given = ""] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  const command = COMMANDS.find((one) => one.name === name);
  if (command && (given === "" || command.takes !== undefined)) {
    await command.run(spoken, given);
    return;
  }
  const why = command
    ? `${name} takes nothing behind it: it ${command.says}.`
    : `There is no command ${name}${suggestName(
        name,
        COMMANDS.map((one) => one.name),
      )}; /help lists them.`;
  throw refusal(`${why} A message that begins with a slash is sent with two.`);
}

const COMMANDS: readonly Command[] = [
  {
    name: "/help",
    says: "lists the commands",
    async run({ talk }) {
      const heads = COMMANDS.map(({ name, takes }) => (takes === undefined ? name : `${name} ${takes}`));
      const width = heads.reduce((widest, { length }) => Math.max(widest, length), 0);
      for (const [at, { says }] of COMMANDS.entries()) talk.screen.line(`${(heads[at] ?? "").padEnd(width)}  ${says}`);
      talk.screen.line(`${"//…".padEnd(width)}  sends a message that begins with /`);
    },
  },
  {
    name: "/mode",
    takes: "[agent|normal]",
    says: "how you are answered: with the agent's tools, or in words alone",
    async run({ talk }, given) {
      if (given === "") return talk.screen.line(`mode: ${await talk.conversation.mode()}`);
      const mode = SESSION_MODES.find((one) => one === given);
      if (!mode) throw refusal(`There is no mode ${given}; there are: ${SESSION_MODES.join(", ")}.`);
      await setMode(talk, mode);
    },
  },
  {
    name: "/agent",
    says: "answers with the agent's tools; another agent takes `postel chat --agent ID`",
    run: ({ talk }) => setMode(talk, "agent"),
  },
  { name: "/normal", says: "answers in words alone, as /mode normal does", run: ({ talk }) => setMode(talk, "normal") },
  {
    name: "/new",
    says: "begins another session; this one is kept",
    async run({ talk }) {
      const { session } = talk.conversation;
      await talk.conversation.startNew();
      talk.screen.aside(`session ${talk.conversation.session}; /session ${session} goes back`);
    },
  },
  {
    name: "/reset",
    says: "forgets all of this session, once you have agreed",
    async run({ talk }) {
      const message = "Forget everything that was said in this session?";
      if ((await talk.person.choose({ message, options: ["Keep it", "Forget it"] })) !== 1)
        return talk.screen.aside("nothing was forgotten");
      await talk.conversation.reset();
      talk.screen.aside("the session begins anew");
    },
  },
  {
    name: "/session",
    takes: "[ID]",
    says: "which session this is, and the others; with an id: goes there",
    async run({ talk }, given) {
      if (given === "") return await listSessions(talk);
      await talk.conversation.switchTo(given);
      await talk.enter();
    },
  },
  {
    name: "/model",
    takes: "[NAME]",
    says: "which model answers; with a name: that one does from now on",
    async run({ talk }, given) {
      if (given !== "") await talk.conversation.useModel(given, new AbortController().signal);
      talk.screen.line(`model: ${talk.conversation.model}`);
    },
  },
  {
    name: "/tools",
    says: "what the agent may call, and what you are asked about first",
    run: listTools,
  },
  { name: "/retry", says: "takes the last turn back and asks it again", run: ({ talk }) => talk.retry() },
  { name: "/exit", says: "leaves; the session is kept", run: async ({ talk }) => talk.leave() },
];

async function setMode({ conversation, screen }: ChatTurns, mode: SessionMode): Promise<void> {
  await conversation.setMode(mode);
  screen.aside(mode === "agent" ? "answers with the agent's tools" : "answers in words alone");
}

const MOST_SESSIONS = 10;
const FIRST_WORDS = 60;

async function listSessions({ conversation, screen }: ChatTurns): Promise<void> {
  screen.line(`session: ${conversation.session}`);
  for (const { id, waitingRun } of await conversation.others(MOST_SESSIONS)) {
    if (id === conversation.session) continue;
    const waits = waitingRun === undefined ? "" : " (waits for you)";
    screen.line(`${id}${waits}  ${truncate(await conversation.firstWords(id), FIRST_WORDS)}`);
  }
}

async function listTools({ talk, gateway }: Spoken): Promise<void> {
  const agent = await talk.conversation.agent();
  const mode = await talk.conversation.mode();
  const { entries } = new AgentToolset(gateway.registry).of(resolveModeTools(agent, agent, mode));
  if (entries.length === 0) talk.screen.line(`none in the mode ${mode}`);
  for (const entry of entries) talk.screen.line(`${getShownName(entry)}${await asking(entry, gateway)}`);
}

async function asking(entry: AgentTool, { registry, store }: Spoken["gateway"]): Promise<string> {
  const { approval, definition } = registry.get(entry.tool) ?? {};
  const policy = entry.approval ?? approval;
  const agreed = definition && (await store.definitions.agreed(LOCAL_CALLER.name, definition));
  if (agreed?.hash !== definition?.hash) return "  asks you first: its server's words are not agreed to yet";
  if (policy === undefined || policy.type === "never") return "";
  return policy.type === "when" ? "  asks you for some arguments" : "  asks you first";
}

function refusal(message: string): PostelError {
  return new PostelError(createFailure("invalid_request", message));
}
