// Runs the turns of a chat: shows them, stops them on Ctrl-C, and asks the user about open interrupts.
import type { Collected } from "../../core/events/Collector.ts";
import { PostelError } from "../../core/failures.ts";
import { joinText } from "../../core/messages.ts";
import { getOutcomeInfo } from "../../core/runs/outcomes.ts";
import { replaceWithCommands } from "../output/commandHints.ts";
import { ShutdownSignals } from "../output/ShutdownSignals.ts";
import { decideAll } from "../prompts/decideAll.ts";
import type { Prompter } from "../prompts/Prompter.ts";
import { type ChatSession, collectUserTexts, type EventListener } from "./ChatSession.ts";
import type { ChatView } from "./ChatView.ts";
import type { LineInput } from "./LineInput.ts";

export interface TalkParts {
  readonly conversation: ChatSession;
  readonly screen: ChatView;
  readonly person: Prompter;
  readonly lines: LineInput;
  /** True if a user reads the output and writes the messages. */
  readonly watched: boolean;
  /** Aborted when the chat is to end. */
  readonly signal: AbortSignal;
}

/** Limits for showing a resumed session. */
const SHOWN_MESSAGES = 6;
const SHOWN_CHARS = 1_000;
const RECALLED_MESSAGES = 200;

export class ChatTurns {
  readonly conversation: ChatSession;
  readonly screen: ChatView;
  readonly person: Prompter;
  readonly #lines: LineInput;
  readonly #watched: boolean;
  readonly #signal: AbortSignal;
  #status = 0;
  #hasLeft = false;

  constructor({ conversation, screen, person, lines, watched, signal }: TalkParts) {
    this.conversation = conversation;
    this.screen = screen;
    this.person = person;
    this.#lines = lines;
    this.#watched = watched;
    this.#signal = signal;
  }

  /** Exit status of the last turn. */
  get status(): number {
    return this.#status;
  }

  /** True when the user has left, or has stopped a turn without a terminal to write the next. */
  get isOver(): boolean {
    return this.#hasLeft || (!this.#watched && this.#status === getOutcomeInfo("cancelled").exitCode);
  }

  leave(): void {
    this.#hasLeft = true;
  }

  /** Shows the session so far, and asks about its open interrupts. */
  async enter(): Promise<void> {
    const messages = await this.conversation.listEarlier(RECALLED_MESSAGES);
    this.#lines.recall(collectUserTexts(messages));
    for (const { role, content } of messages.slice(-SHOWN_MESSAGES)) {
      const text = joinText(content);
      if (text === "" || (role !== "user" && role !== "assistant")) continue;
      this.screen.showMessage(role, text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
    }
    await this.#settle();
  }

  async answer(text: string): Promise<void> {
    if ((await this.conversation.open()).length > 0) {
      this.screen.aside("this session waits for your decision; what you wrote was not sent");
    } else {
      await this.#turn((turnCollector) => this.conversation.ask(text, turnCollector));
    }
    await this.#settle();
  }

  async retry(): Promise<void> {
    await this.#turn((turnCollector) => this.conversation.retry(turnCollector));
    await this.#settle();
  }

  /** Shows a failure. @throws an unexpected error unchanged. */
  fail(error: unknown): void {
    if (!(error instanceof PostelError)) throw error;
    this.screen.fault(replaceWithCommands(error.message));
    this.#status = 1;
  }

  /** Asks until no interrupt is open, or the user leaves one open. */
  async #settle(): Promise<void> {
    for (;;) {
      const open = await this.conversation.open();
      const [first] = open;
      if (!first) return;
      const decisions = await decideAll(open, this.person);
      if (!decisions)
        return this.screen.aside("nothing was decided: the session waits, and asks again at your next line");
      await this.#turn((turnCollector) => this.conversation.decide(first.run, decisions, turnCollector));
    }
  }

  async #turn(runTurn: (turnCollector: EventListener) => Promise<Collected>): Promise<void> {
    const shutdownSignals = new ShutdownSignals(["SIGINT"]);
    this.screen.begin();
    try {
      const collected = await runTurn({
        signal: AbortSignal.any([shutdownSignals.signal, this.#signal]),
        onEvents: (events) => {
          for (const event of events) this.screen.show(event);
          return undefined;
        },
      });
      this.#status = getOutcomeInfo(collected.outcome ?? "failed").exitCode;
    } catch (error) {
      this.fail(error);
    } finally {
      shutdownSignals.end();
      this.screen.end();
    }
  }
}
