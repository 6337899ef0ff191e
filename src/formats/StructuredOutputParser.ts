// Reads a turn whose answer must have a given form: emits reasoning at once, and reads the rest at its end as JSON before any marker.
// If the text is no such answer, the events of the parser chain decide.
import type { OutputFormat } from "../core/requests.ts";
import { LONGEST_ANSWER, type NormalizedOutput, OutputNormalizer } from "./answers/OutputNormalizer.ts";
import { readAnswerValue } from "./decoders/callObjects.ts";
import { decodeJson } from "./decoders/decodeJson.ts";
import { findBalancedRegions, sliceValue } from "./decoders/jsonTree.ts";
import { MultiFormatOutputParser, type Slice } from "./MultiFormatOutputParser.ts";
import type { ParserEvent, ParserOptions, ReleasedCandidate } from "./state/ParserEvent.ts";

/** Start of a JSON value, or of a fence around one. Such text is not markup before an answer, whatever the parser made of it. */
const VALUE = /^\s*(?:\{|\[\s*["{[\d]|```)/;

/** Repair of a value with other text around it. */
const AMONG_WORDS = "surrounding-text";

export class StructuredOutputParser {
  readonly #parser: MultiFormatOutputParser;
  readonly #output: OutputNormalizer;
  #text = "";
  /** Buffered events, from the first text of the answer on. */
  #bufferedEvents: ParserEvent[] = [];
  #isLast = false;
  /** The chain has read all of it. */
  #isParsed = false;

  constructor(options: ParserOptions, output: OutputFormat) {
    this.#parser = new MultiFormatOutputParser(options);
    this.#output = new OutputNormalizer(output);
  }

  get released(): readonly ReleasedCandidate[] {
    return this.#parser.released;
  }

  /** All of an answer waits for its end. */
  isPlainText(): boolean {
    return false;
  }

  /** The reasoning before the answer, as far as it has become certain. */
  feedSlice(text: string): Slice {
    this.#text += text;
    return this.#passReasoning(this.#parser.feedSlice(text));
  }

  /** Returns the rest of the reasoning. The next slice has one text, or calls and issues with the text around them. */
  finishSlice(finishReason: string | null): Slice {
    this.#isLast = true;
    return this.#passReasoning(this.#parser.finishSlice(finishReason));
  }

  nextSlice(): Slice {
    if (this.#isParsed) return { events: this.#extractAnswer() ?? this.#bufferedEvents, more: false };
    return this.#passReasoning(this.#parser.nextSlice());
  }

  #passReasoning({ events, more }: Slice): Slice {
    this.#isParsed = this.#isLast && !more;
    return { events: this.#bufferAnswer(events), more: more || this.#isParsed };
  }

  #bufferAnswer(events: readonly ParserEvent[]): readonly ParserEvent[] {
    const start = this.#bufferedEvents.length > 0 ? 0 : events.findIndex(isAnswerStart);
    if (start < 0) return events;
    for (const event of events.slice(start)) this.#bufferedEvents.push(event);
    return events.slice(0, start);
  }

  /** Returns the buffered text as the required value; undefined if it contains none, or is a call. */
  #extractAnswer(): readonly ParserEvent[] | undefined {
    const [first] = this.#bufferedEvents;
    const at = first && getOffset(first);
    if (!first || at === undefined) return undefined;
    if (this.#text.length - at > LONGEST_ANSWER) return undefined;
    const raw = this.#text.slice(at);
    const answer = this.#normalize(raw, first);
    if (answer.type === "invalid") return undefined;
    const isFirstInText = !answer.repairs.includes(AMONG_WORDS) || VALUE.test(raw);
    // Markers inside the value's strings are its text. A value that is itself read as a call is one, unless the schema has all its keys.
    const isAnswerCall = isCallLike(first) && !this.#output.hasAllKeys(answer.text);
    const from = isFirstInText ? at + findValueEnd(raw) : at;
    const hasCall =
      isAnswerCall || this.#bufferedEvents.some((event) => isCallLike(event) && (getOffset(event) ?? at) >= from);
    return hasCall ? undefined : [{ type: "text", at, text: answer.text, raw }];
  }

  #normalize(raw: string, first: ParserEvent): NormalizedOutput {
    const answer = this.#output.normalize(raw);
    // For an answer in the form of a call, the value inside it is the answer, not the text of the parser chain.
    const isWrappedAnswer = answer.type === "invalid" && first.type === "text" && first.raw !== undefined;
    const json = isWrappedAnswer ? decodeJson(raw) : undefined;
    const value = json && readAnswerValue(json);
    return value ? this.#output.normalize(sliceValue(value)) : answer;
  }
}

function isAnswerStart(event: ParserEvent): boolean {
  if (event.type === "reasoning") return false;
  return event.type !== "dropped" || VALUE.test(event.raw);
}

/** Returns the end of the first value in brackets, or infinity if none ends. */
function findValueEnd(raw: string): number {
  return findBalancedRegions(raw, 1)[0]?.end ?? Number.POSITIVE_INFINITY;
}

function getOffset(event: ParserEvent): number | undefined {
  return event.type === "issue" ? event.issue.at : event.at;
}

/** A call, or an announced one that failed. */
function isCallLike(event: ParserEvent | undefined): boolean {
  return event?.type === "call" || (event?.type === "issue" && event.issue.code !== "stray-mark");
}
