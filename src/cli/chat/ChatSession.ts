// The session of a chat: its id, agent, mode and models.
import { resolveAgent } from "../../agents/planning/resolveAgent.ts";
import { suggestName } from "../../config/load/suggestName.ts";
import type { AgentConfig } from "../../core/config/configuration.ts";
import { type Collected, Collector } from "../../core/events/Collector.ts";
import type { RunEvent } from "../../core/events/events.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { joinText, type Message } from "../../core/messages.ts";
import { LOCAL_CALLER } from "../../core/requests.ts";
import type { GivenDecision, InterruptRecord } from "../../core/runs/interrupts.ts";
import type { OwnerKey } from "../../core/stores/OwnerKey.ts";
import type { SessionMode, SessionRecord } from "../../core/stores/SessionStore.ts";
import type { GatewayServices } from "../../gateway/GatewayServices.ts";
import type { RunSubscriber } from "../../runs/RunService.ts";
import { createChatRequest } from "../run/createChatRequest.ts";
import { isChatRefusal } from "../run/modelsToTry.ts";
import { readSessionTitle } from "../sessions/sessionTitle.ts";

type Desks = "sessions" | "runs" | "store" | "agents" | "limits" | "directory" | "ids";

export interface ConversationStart {
  /** Its id; it need not be there yet. */
  readonly session: string;
  /** Absent: the session's own, else the default one. */
  readonly agent?: string | undefined;
  readonly mode?: SessionMode | undefined;
  /** Tried in order until one answers, which is then used. */
  readonly models: readonly string[];
}

/** Receives the events of a turn. */
export type EventListener = Pick<RunSubscriber, "signal" | "onEvents">;

export class ChatSession {
  readonly #gateway: Pick<GatewayServices, Desks>;
  #session: string;
  #agent: string | undefined;
  #mode: SessionMode | undefined;
  #models: readonly string[];
  /** The last question if it failed, so that the session does not contain it. */
  #unanswered: string | undefined;

  constructor(gateway: Pick<GatewayServices, Desks>, { session, agent, mode, models }: ConversationStart) {
    this.#gateway = gateway;
    this.#session = session;
    this.#agent = agent;
    this.#mode = mode;
    this.#models = models;
  }

  get session(): string {
    return this.#session;
  }

  /** The model that is asked next. */
  get model(): string {
    return this.#models[0] ?? "";
  }

  /** Undefined before its first turn. */
  record(): Promise<SessionRecord | undefined> {
    return this.#gateway.store.sessions.get(this.#key);
  }

  async mode(): Promise<SessionMode> {
    return this.#mode ?? (await this.record())?.mode ?? "agent";
  }

  /** @throws PostelError `agent_not_found`. */
  async agent(): Promise<AgentConfig> {
    return resolveAgent(this.#gateway, this.model, this.#agent ?? (await this.record())?.agent);
  }

  /** Runs a turn with the first model that answers. @throws PostelError as `SessionService.ask` does. */
  async ask(text: string, turnCollector: EventListener): Promise<Collected> {
    this.#unanswered = text;
    let collected = await this.#askModel(this.model, text, turnCollector);
    for (const model of this.#models.slice(1)) {
      if (!isChatRefusal(collected)) break;
      this.#models = this.#models.slice(1);
      collected = await this.#askModel(model, text, turnCollector);
    }
    this.#models = [this.model];
    if (!collected.failure && collected.outcome !== "cancelled") this.#unanswered = undefined;
    return collected;
  }

  /** Removes the last turn and asks it again. @throws PostelError as `SessionService.takeBack` does, and as `ask`. */
  async retry(turnCollector: EventListener): Promise<Collected> {
    const { sessions, ids } = this.#gateway;
    const text = this.#unanswered ?? joinText((await sessions.removeLastTurn(this.#key, ids.requestId())).content);
    return await this.ask(text, turnCollector);
  }

  /** Open interrupts of the session. */
  async open(): Promise<readonly InterruptRecord[]> {
    const run = (await this.record())?.waitingRun;
    return run === undefined ? [] : await this.#gateway.runs.open({ owner: LOCAL_CALLER.name, id: run });
  }

  /** Continues with decisions on open interrupts. @throws PostelError as `SessionService.decide` does. */
  async decide(run: string, given: readonly GivenDecision[], turnCollector: EventListener): Promise<Collected> {
    const { sessions, ids } = this.#gateway;
    const decisions = { session: this.#key, run, decisions: given, decidedBy: LOCAL_CALLER, holder: ids.requestId() };
    return await collectTurn(turnCollector, (reader) => sessions.decide(decisions, reader));
  }

  /** The last messages, oldest first. */
  listEarlier(limit: number): Promise<readonly Message[]> {
    return this.#gateway.store.sessions.messages(this.#key, limit);
  }

  /** @throws PostelError `session_busy`. */
  async setMode(mode: SessionMode): Promise<void> {
    this.#mode = mode;
    if (await this.record()) await this.#gateway.sessions.setMode(this.#key, mode, this.#gateway.ids.requestId());
  }

  /** @throws PostelError `model_not_found` for an unknown model, with the known ones. */
  async useModel(name: string, signal: AbortSignal): Promise<void> {
    const { directory } = this.#gateway;
    if (directory.resolve(name).length === 0) {
      const modelIds = (await directory.list(signal)).map(({ id }) => id);
      const message = `No upstream serves the model ${name}${suggestName(name, modelIds)}. There are: ${modelIds.join(", ") || "none"}.`;
      throw new PostelError(createFailure("model_not_found", message));
    }
    this.#models = [name];
  }

  /** Starts a new session with the same agent and mode; the old session is unchanged. */
  async startNew(): Promise<void> {
    this.#agent = (await this.agent()).id;
    this.#mode = await this.mode();
    this.#session = this.#gateway.ids.callId();
    this.#unanswered = undefined;
  }

  /** Switches to another session. @throws PostelError `session_not_found`. */
  async switchSession(session: string): Promise<void> {
    if (!(await this.#gateway.store.sessions.get({ owner: LOCAL_CALLER.name, id: session })))
      throw new PostelError(createFailure("session_not_found", `There is no session ${session}; /session lists them.`));
    this.#session = session;
    this.#agent = undefined;
    this.#mode = undefined;
    this.#unanswered = undefined;
  }

  /** Youngest first. */
  listOtherSessions(limit: number): Promise<readonly SessionRecord[]> {
    return this.#gateway.store.sessions.list(LOCAL_CALLER.name, { limit });
  }

  /** The title of a session: its first user message. */
  firstWords(id: string): Promise<string> {
    return readSessionTitle(this.#gateway.store.sessions, { owner: LOCAL_CALLER.name, id });
  }

  /** Deletes all messages of the session; its agent and mode stay. @throws PostelError `session_busy`. */
  async reset(): Promise<void> {
    const record = await this.record();
    this.#unanswered = undefined;
    if (!record) return;
    this.#agent = record.agent;
    this.#mode = record.mode;
    await this.#gateway.sessions.delete(this.#key, this.#gateway.ids.requestId());
  }

  get #key(): OwnerKey {
    return { owner: LOCAL_CALLER.name, id: this.#session };
  }

  async #askModel(model: string, text: string, turnCollector: EventListener): Promise<Collected> {
    const { sessions, ids } = this.#gateway;
    const chat = createChatRequest(text, model, ids.requestId());
    const request = { chat, agent: this.#agent, mode: this.#mode, interactive: true };
    return await collectTurn(turnCollector, (reader) => sessions.ask({ session: this.#key, request }, reader));
  }
}

/** Collects a result, and forwards every event. */
async function collectTurn(
  { signal, onEvents }: EventListener,
  work: (reader: RunSubscriber) => Promise<void>,
): Promise<Collected> {
  const collector = new Collector();
  const forwardEvents = (events: readonly RunEvent[]) => {
    for (const event of events) collector.add(event);
    return onEvents(events);
  };
  await work({ signal, onEvents: forwardEvents });
  return collector.getCollected();
}

/** Texts of the user's messages, oldest first. */
export function collectUserTexts(messages: readonly Message[]): readonly string[] {
  return messages.filter(({ role }) => role === "user").map(({ content }) => joinText(content));
}
