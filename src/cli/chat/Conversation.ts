// A session as the chat goes on with it: which one, in whose hands, by which model. Knows no terminal.
import { agentFor } from "../../agents/agentFor.ts";
import type { House } from "../../compose.ts";
import { suggestion } from "../../config/nearestName.ts";
import { type Collected, Collector } from "../../core/collect.ts";
import type { AgentConfig } from "../../core/configuration.ts";
import type { RunEvent } from "../../core/events.ts";
import { failure, PostelError } from "../../core/failures.ts";
import type { GivenDecision, InterruptRecord } from "../../core/interrupts.ts";
import { type Message, textOf } from "../../core/messages.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { OwnedKey, SessionMode, SessionRecord } from "../../core/stores.ts";
import type { Reader } from "../../runs/RunDesk.ts";
import { firstWords } from "../firstWords.ts";
import { refusedToChat } from "../modelsToTry.ts";
import { question } from "../question.ts";

type Desks = "sessions" | "runs" | "store" | "agents" | "limits" | "directory" | "ids";

export interface ConversationStart {
  /** Its id; it need not be there yet. */
  readonly session: string;
  /** Absent: the session's own, else the default one. */
  readonly agent?: string | undefined;
  readonly mode?: SessionMode | undefined;
  /** Tried in turn until one answers, which then goes on. */
  readonly models: readonly string[];
}

/** What is heard of a turn. */
export type Hearing = Pick<Reader, "signal" | "take">;

export class Conversation {
  readonly #house: Pick<House, Desks>;
  #session: string;
  #agent: string | undefined;
  #mode: SessionMode | undefined;
  #models: readonly string[];
  /** What was asked last and came to nothing, so that the session does not have it. */
  #unanswered: string | undefined;

  constructor(house: Pick<House, Desks>, { session, agent, mode, models }: ConversationStart) {
    this.#house = house;
    this.#session = session;
    this.#agent = agent;
    this.#mode = mode;
    this.#models = models;
  }

  get session(): string {
    return this.#session;
  }

  /** The one that is asked next. */
  get model(): string {
    return this.#models[0] ?? "";
  }

  /** Undefined before its first turn. */
  record(): Promise<SessionRecord | undefined> {
    return this.#house.store.sessions.get(this.#key);
  }

  async mode(): Promise<SessionMode> {
    return this.#mode ?? (await this.record())?.mode ?? "agent";
  }

  /** @throws PostelError `agent_not_found`. */
  async agent(): Promise<AgentConfig> {
    return agentFor(this.#house, this.model, this.#agent ?? (await this.record())?.agent);
  }

  /** Takes a turn with the first model that does. @throws PostelError as `SessionDesk.ask` does. */
  async ask(words: string, hearing: Hearing): Promise<Collected> {
    this.#unanswered = words;
    let said = await this.#askWith(this.model, words, hearing);
    for (const model of this.#models.slice(1)) {
      if (!refusedToChat(said)) break;
      this.#models = this.#models.slice(1);
      said = await this.#askWith(model, words, hearing);
    }
    this.#models = [this.model];
    if (!said.failure && said.outcome !== "cancelled") this.#unanswered = undefined;
    return said;
  }

  /** Takes the last turn back and asks it again. @throws PostelError as `SessionDesk.takeBack` does, and as `ask`. */
  async retry(hearing: Hearing): Promise<Collected> {
    const { sessions, ids } = this.#house;
    const words = this.#unanswered ?? textOf((await sessions.takeBack(this.#key, ids.requestId())).content);
    return await this.ask(words, hearing);
  }

  /** What of the session waits for somebody. */
  async open(): Promise<readonly InterruptRecord[]> {
    const run = (await this.record())?.waitingRun;
    return run === undefined ? [] : await this.#house.runs.open({ owner: LOCAL_CALLER.name, id: run });
  }

  /** Goes on with what waits. @throws PostelError as `SessionDesk.decide` does. */
  async decide(run: string, given: readonly GivenDecision[], hearing: Hearing): Promise<Collected> {
    const { sessions, ids } = this.#house;
    const decisions = { session: this.#key, run, given, by: LOCAL_CALLER, holder: ids.requestId() };
    return await folded(hearing, (reader) => sessions.decide(decisions, reader));
  }

  /** The last messages, oldest first. */
  earlier(most: number): Promise<readonly Message[]> {
    return this.#house.store.sessions.messages(this.#key, most);
  }

  /** @throws PostelError `session_busy`. */
  async setMode(mode: SessionMode): Promise<void> {
    this.#mode = mode;
    if (await this.record()) await this.#house.sessions.setMode(this.#key, mode, this.#house.ids.requestId());
  }

  /** @throws PostelError `model_not_found` for a name that nobody serves, with those that are. */
  async useModel(name: string, signal: AbortSignal): Promise<void> {
    const { directory } = this.#house;
    if (directory.resolve(name).length === 0) {
      const served = (await directory.list(signal)).map(({ id }) => id);
      const message = `No upstream serves the model ${name}${suggestion(name, served)}. There are: ${served.join(", ") || "none"}.`;
      throw new PostelError(failure("model_not_found", message));
    }
    this.#models = [name];
  }

  /** A new session of the same agent, in the same mode; this one stays as it is. */
  async startNew(): Promise<void> {
    this.#agent = (await this.agent()).id;
    this.#mode = await this.mode();
    this.#session = this.#house.ids.callId();
    this.#unanswered = undefined;
  }

  /** Goes on in another session, as that is. @throws PostelError `session_not_found`. */
  async switchTo(session: string): Promise<void> {
    if (!(await this.#house.store.sessions.get({ owner: LOCAL_CALLER.name, id: session })))
      throw new PostelError(failure("session_not_found", `There is no session ${session}; /session lists them.`));
    this.#session = session;
    this.#agent = undefined;
    this.#mode = undefined;
    this.#unanswered = undefined;
  }

  /** Youngest first. */
  others(most: number): Promise<readonly SessionRecord[]> {
    return this.#house.store.sessions.list(LOCAL_CALLER.name, { most });
  }

  /** The first words of a session. */
  firstWords(id: string): Promise<string> {
    return firstWords(this.#house.store.sessions, { owner: LOCAL_CALLER.name, id });
  }

  /** Takes everything of the session away; its agent and its mode stay. @throws PostelError `session_busy`. */
  async reset(): Promise<void> {
    const record = await this.record();
    this.#unanswered = undefined;
    if (!record) return;
    this.#agent = record.agent;
    this.#mode = record.mode;
    await this.#house.sessions.delete(this.#key, this.#house.ids.requestId());
  }

  get #key(): OwnedKey {
    return { owner: LOCAL_CALLER.name, id: this.#session };
  }

  async #askWith(model: string, words: string, hearing: Hearing): Promise<Collected> {
    const { sessions, ids } = this.#house;
    const chat = question(words, model, ids.requestId());
    const request = { chat, agent: this.#agent, mode: this.#mode, interactive: true };
    return await folded(hearing, (reader) => sessions.ask({ session: this.#key, request }, reader));
  }
}

/** What the work came to, every event of it told. */
async function folded({ signal, take }: Hearing, work: (reader: Reader) => Promise<void>): Promise<Collected> {
  const collector = new Collector();
  const heard = (events: readonly RunEvent[]) => {
    for (const event of events) collector.add(event);
    return take(events);
  };
  await work({ signal, take: heard });
  return collector.value();
}

/** The words of the user's messages, oldest first. */
export function userWords(messages: readonly Message[]): readonly string[] {
  return messages.filter(({ role }) => role === "user").map(({ content }) => textOf(content));
}
