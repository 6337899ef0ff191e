// Counts the size of one upstream answer and enforces the gateway's limits.
import type { LimitsConfig } from "../../core/config/configuration.ts";
import type { Extra, ModelEvent } from "../../core/events/events.ts";
import { isVisibleExtra } from "../../core/events/isVisibleExtra.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { measureJson } from "../looseJson.ts";
import { type ArrivedCall, type CallFragment, isOfAnotherCall } from "./callFragments.ts";

export type AnswerLimits = Pick<LimitsConfig, "answerChars" | "answerEvents" | "callChars">;

/** Characters of an event's own wrapping (ids, model names, counts), which is not stored: seldom more than 400. */
const WRAPPING_CHARS = 1_024;

/** A call as it is metered: its latest fields and the number of its characters. */
type MeteredCall = { -readonly [Part in keyof ArrivedCall]: ArrivedCall[Part] } & { chars: number };

/**
 * Counts two sizes, each limited by `answer_chars`: all that is stored or emitted, whatever its field; and all that was read, except for the
 * usual wrapping of each event, so that unread fields count too. Backslashes of escapes on the wire do not count: a line break is one
 * character of the answer, and two of its JSON.
 */
export class ResponseLimits {
  readonly #limits: AnswerLimits;
  #calls: Map<number, MeteredCall> | undefined;
  #readBytes = 0;
  /** True if the last piece ended with the backslash of an escape. */
  #escaped = false;
  #charCount = 0;
  #events = 0;
  #progress = 0;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** Number of events with text, reasoning or a part of a call. */
  get progress(): number {
    return this.#progress;
  }

  /** Counts a piece of the wire. A later call tells the event to which it belongs. */
  readText(text: string): void {
    if (text === "") return;
    let escapes = 0;
    let at = text.indexOf("\\", this.#escaped ? 1 : 0);
    this.#escaped = false;
    for (; at !== -1; at = text.indexOf("\\", at + 2)) {
      escapes += 1;
      this.#escaped = at === text.length - 1;
    }
    this.#readBytes += text.length - escapes;
  }

  /**
   * Counts complete events of the last piece. `more` further ones are counted later: a piece may take several turns.
   * @throws PostelError `upstream_answer_too_large`, like all methods that count.
   */
  readEvents(events: number, more = 0): void {
    this.#events += events;
    if (this.#events > this.#limits.answerEvents) {
      throw tooLarge("answer_events", `more than ${this.#limits.answerEvents} events`);
    }
    if (this.#readBytes - (this.#events + more) * WRAPPING_CHARS > this.#limits.answerChars) throw this.#tooManyChars();
  }

  /** Returns true if the limits allow `read` more characters of the wire, in `events` events with `said` characters of text. */
  tryAccept(readBytes: number, events: number, chars: number): boolean {
    const { answerChars, answerEvents } = this.#limits;
    const all = this.#events + events;
    const unwrapped = this.#readBytes + readBytes - all * WRAPPING_CHARS;
    return all <= answerEvents && unwrapped <= answerChars && this.#charCount + chars <= answerChars;
  }

  /** Counts text-only events that are within the limits. */
  addUnread(text: string, events: number, chars: number): void {
    this.readText(text);
    this.#events += events;
    this.#charCount += chars;
    this.#progress += events;
  }

  /** Counts a part of a document, whose content is known only at its end. */
  readPart(): void {
    this.#progress += 1;
  }

  addEvent(event: ModelEvent): void {
    switch (event.type) {
      case "text":
        this.#add(event.text.length + extraSize(event.extra));
        if (event.text !== "" || event.extra?.some(isVisibleExtra)) this.#progress += 1;
        return;
      case "reasoning":
        this.#add(event.text.length);
        this.#progress += 1;
        return;
      case "call-fragment":
        this.#saidOfCall(event);
        return;
      case "opened":
      case "end":
      case "failed":
        return;
      default:
        event satisfies never;
    }
  }

  #saidOfCall(fragment: CallFragment): void {
    const { index, id, name, arguments: text, extra } = fragment;
    const chars = (id?.length ?? 0) + (name?.length ?? 0) + (text?.length ?? 0) + (extra ? measureJson(extra) : 0);
    this.#add(chars);
    if (id !== undefined || name !== undefined || text) this.#progress += 1;
    this.#calls ??= new Map();
    const before = this.#calls.get(index);
    const isContinued = before && !isOfAnotherCall(before, fragment);
    const call: MeteredCall = isContinued ? before : { name: "", hasStarted: false, chars: 0 };
    call.id ??= id;
    call.name ||= name ?? "";
    call.hasStarted ||= text !== undefined;
    call.chars += chars;
    if (!isContinued) this.#calls.set(index, call);
    if (call.chars > this.#limits.callChars) {
      throw tooLarge("call_chars", `one call of more than ${this.#limits.callChars} characters`);
    }
  }

  #add(chars: number): void {
    this.#charCount += chars;
    if (this.#charCount > this.#limits.answerChars) throw this.#tooManyChars();
  }

  #tooManyChars(): PostelError {
    return tooLarge("answer_chars", `more than ${this.#limits.answerChars} characters`);
  }
}

function extraSize(extra: readonly Extra[] | undefined): number {
  return extra ? extra.reduce((sum, { fields }) => sum + measureJson(fields), 0) : 0;
}

function tooLarge(limit: string, problem: string): PostelError {
  const message = `The upstream sent ${problem} in one answer, so its connection was closed. The limit is \`limits.${limit}\`.`;
  return new PostelError(createFailure("upstream_answer_too_large", message, { limit }));
}
