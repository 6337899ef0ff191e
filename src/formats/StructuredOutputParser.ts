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
  #held: ParserEvent[] = [];
  #isLast = false;
  /** The chain has read all of it. */
  #isRead = false;

  constructor(options: ParserOptions, output: OutputFormat) {
    this.#parser = new MultiFormatOutputParser(options);
    this.#output = new OutputNormalizer(output);
  }

  get released(): readonly ReleasedCandidate[] {
    return this.#parser.released;
  }

  /** All of an answer waits for its end. */
  passes(): boolean {
    return false;
  }

  /** The reasoning before the answer, as far as it has become certain. */
  feedSlice(text: string): Slice {
    this.#text += text;
    return this.#reasoning(this.#parser.feedSlice(text));
  }

  /** Returns the rest of the reasoning. The next slice has one text, or calls and issues with the text around them. */
  finishSlice(finishReason: string | null): Slice {
    this.#isLast = true;
    return this.#reasoning(this.#parser.finishSlice(finishReason));
  }

  nextSlice(): Slice {
    if (this.#isRead) return { events: this.#answer() ?? this.#held, more: false };
    return this.#reasoning(this.#parser.nextSlice());
  }

  #reasoning({ events, more }: Slice): Slice {
    this.#isRead = this.#isLast && !more;
    return { events: this.#before(events), more: more || this.#isRead };
  }

  #before(events: readonly ParserEvent[]): readonly ParserEvent[] {
    const start = this.#held.length > 0 ? 0 : events.findIndex(beginsAnswer);
    if (start < 0) return events;
    for (const event of events.slice(start)) this.#held.push(event);
    return events.slice(0, start);
  }

  /** Returns the buffered text as the required value; undefined if it contains none, or is a call. */
  #answer(): readonly ParserEvent[] | undefined {
    const [first] = this.#held;
    const at = first && getOffset(first);
    if (!first || at === undefined) return undefined;
    if (this.#text.length - at > LONGEST_ANSWER) return undefined;
    const raw = this.#text.slice(at);
    const answer = this.#normalize(raw, first);
    if (answer.type === "invalid") return undefined;
    const leads = !answer.repairs.includes(AMONG_WORDS) || VALUE.test(raw);
    // Markers inside the value's strings are its text. A value that is itself read as a call is one, unless the schema has all its keys.
    const isItself = isCallLike(first) && !this.#output.names(answer.text);
    const from = leads ? at + endOfValue(raw) : at;
    const isCalled = isItself || this.#held.some((event) => isCallLike(event) && (getOffset(event) ?? at) >= from);
    return isCalled ? undefined : [{ type: "text", at, text: answer.text, raw }];
  }

  #normalize(raw: string, first: ParserEvent): NormalizedOutput {
    const answer = this.#output.normalize(raw);
    // For an answer in the form of a call, the value inside it is the answer, not the text of the parser chain.
    const isDressed = answer.type === "invalid" && first.type === "text" && first.raw !== undefined;
    const json = isDressed ? decodeJson(raw) : undefined;
    const value = json && readAnswerValue(json);
    return value ? this.#output.normalize(sliceValue(value)) : answer;
  }
}

function beginsAnswer(event: ParserEvent): boolean {
  if (event.type === "reasoning") return false;
  return event.type !== "dropped" || VALUE.test(event.raw);
}

/** Returns the end of the first value in brackets, or infinity if none ends. */
function endOfValue(raw: string): number {
  return findBalancedRegions(raw, 1)[0]?.end ?? Number.POSITIVE_INFINITY;
}

function getOffset(event: ParserEvent): number | undefined {
  return event.type === "issue" ? event.issue.at : event.at;
}

/** A call, or an announced one that failed. */
function isCallLike(event: ParserEvent | undefined): boolean {
  return event?.type === "call" || (event?.type === "issue" && event.issue.code !== "stray-mark");
}
