// One model stream as attempt events: text through the parser, fragments through the assembler. Knows no prompt and no turn.
import type { ModelCapabilities } from "../core/capabilities.ts";
import { ExtraFold } from "../core/ExtraFold.ts";
import type { Extra, ModelEvent } from "../core/events.ts";
import { failure } from "../core/failures.ts";
import { inTurns, TURN } from "../core/loopTurn.ts";
import type { Clock } from "../core/ports.ts";
import type { OutputFormat } from "../core/requests.ts";
import { createOutputParser } from "../formats/createOutputParser.ts";
import { passesFractions, type TextReading } from "../formats/parserOptions.ts";
import type { ParserEvent } from "../formats/turn/ParserEvent.ts";
import type { CallFragment } from "../models/callFragments.ts";
import { ToolCallAssembler } from "../models/ToolCallAssembler.ts";
import type { AttemptEvent } from "./Agent.ts";
import { CallIds } from "./CallIds.ts";
import { NativeCalls } from "./NativeCalls.ts";
import { EqualCalls, runawayIssue, untilRunaway } from "./runaway.ts";
import { TimedParser } from "./TimedParser.ts";
import { UntouchedReader } from "./UntouchedReader.ts";
import { withoutLogprobs } from "./withoutLogprobs.ts";

export interface AttemptReading {
  /** Its `reasoningOpened` does not count where the upstream splits reasoning off itself. */
  readonly text: TextReading;
  /** The form that the answer is bound to, if any. */
  readonly output: OutputFormat;
  /** Ids of calls that the conversation already has. */
  readonly usedIds: Iterable<string>;
  /** `off`: everything is handed on as it came. */
  readonly parse: ModelCapabilities["parse"];
  /** Ends the reading between two slices. */
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "monotonic">;
  /** Told once, when the reading is over: the milliseconds that went into parsing the model's text, if there was any. */
  readonly onParsed?: ((ms: number) => void) | undefined;
}

/**
 * Reads one model call to its end, or until it makes one call over and over. Between two slices of long work the process may do
 * something else. Throws the signal's reason, and what `events` throws.
 */
export async function* readAttempt(
  events: AsyncIterable<ModelEvent>,
  reading: AttemptReading,
): AsyncGenerator<AttemptEvent, void, undefined> {
  if (reading.parse === "off") {
    yield* readWith(new UntouchedReader(reading.text.ids), events, reading.signal);
    return;
  }
  const reader = new AttemptReader(reading);
  try {
    yield* readWith(reader, events, reading.signal);
  } finally {
    if (reader.parseMs !== undefined) reading.onParsed?.(reader.parseMs);
  }
}

async function* readWith(
  reader: AttemptReader | UntouchedReader,
  events: AsyncIterable<ModelEvent>,
  signal: AbortSignal,
): AsyncGenerator<AttemptEvent, void, undefined> {
  for await (const event of events) {
    switch (event.type) {
      case "opened":
        yield event;
        break;
      case "reasoning":
        reader.splitUpstream = true;
        yield event;
        break;
      case "text":
        yield* inTurns(reader.text(event.text, event.extra), signal);
        break;
      case "call-fragment":
        reader.fragment(event);
        break;
      case "end":
        yield* inTurns(reader.end(event.finishReason), signal);
        yield event;
        return;
      case "failed":
        yield* inTurns(reader.cut(), signal);
        yield event;
        return;
      default:
        event satisfies never;
    }
    if (!reader.ranAway) continue;
    // Leaving the loop closes the model's stream: an answer that never ends costs its upstream no more.
    yield* inTurns(reader.end(null), signal);
    yield { type: "end", finishReason: null };
    return;
  }
  yield { type: "failed", failure: failure("internal_error", "The model's stream ended without saying how.") };
}

type AttemptStep = AttemptEvent | typeof TURN;

class AttemptReader {
  /** True once the answer has made one call too often. */
  ranAway = false;
  /** True once the upstream has sent reasoning in a field of its own. */
  splitUpstream = false;
  readonly #reading: AttemptReading;
  readonly #ids: CallIds;
  readonly #native: NativeCalls;
  readonly #assembler = new ToolCallAssembler();
  readonly #written = new EqualCalls();
  readonly #structured = new EqualCalls();
  #parser: TimedParser | undefined;
  /** True once the text has made one call too often: what stands behind that is not read. */
  #looped = false;
  /** Fields that wait for the text they came with. */
  readonly #extra = new ExtraFold();

  constructor(reading: AttemptReading) {
    this.#reading = reading;
    const { tools, ids, callsAllowed, model } = reading.text;
    this.#ids = new CallIds(ids, reading.usedIds);
    const fractions = passesFractions(model);
    this.#native = new NativeCalls({ tools, ids: this.#ids, allowed: callsAllowed, fractions });
  }

  /** Milliseconds in which the model's text was parsed; absent where it gave none. */
  get parseMs(): number | undefined {
    return this.#parser?.ms;
  }

  *text(text: string, extra: readonly Extra[] = []): Generator<AttemptStep> {
    if (text === "") return yield* this.#besideNoText(extra);
    let markup = false;
    const parser = this.#parserNow();
    for (let slice = parser.feedSlice(text); ; slice = parser.nextSlice()) {
      const { events, more } = slice;
      markup ||= events.some(isMarkup);
      if (more) {
        yield* this.#pass(events);
        yield TURN;
        continue;
      }
      // Log-probabilities of characters that are not content would be read as those of the content beside them.
      const own = markup ? withoutLogprobs(extra) : extra;
      const last = events.findLastIndex(({ type }) => type === "text");
      yield* this.#pass(events.slice(0, Math.max(last, 0)));
      this.#extra.add(own);
      yield* this.#pass(events.slice(Math.max(last, 0)));
      return;
    }
  }

  /** What comes of the message while the model thinks goes on at once, for whoever shows its thoughts by it. */
  *#besideNoText(extra: readonly Extra[]): Generator<AttemptStep> {
    const ready = this.splitUpstream ? extra.filter(({ level }) => level === "delta") : [];
    this.#extra.add(extra.filter((one) => !ready.includes(one)));
    if (ready.length > 0) yield { type: "text", text: "", extra: ready };
  }

  fragment(fragment: CallFragment): void {
    const before = this.#assembler.add(fragment);
    if (before && this.#structured.add(before)) this.ranAway = true;
  }

  *end(finishReason: string | null): Generator<AttemptStep> {
    if (!this.#looped) yield* this.#finish(finishReason);
    yield* this.#restOfExtra();
    const { calls, tooMany } = yield* untilRunaway(this.#assembler.calls());
    const cut = finishReason === "length" || finishReason === "content_filter";
    yield* this.#native.read(calls, cut && !tooMany);
    if (tooMany) yield { type: "issue", issue: runawayIssue(tooMany, "native") };
  }

  /** The stream broke: held text is text, and what was unfinished is no call. */
  *cut(): Generator<AttemptStep> {
    yield* this.#finish("length");
  }

  *#finish(finishReason: string | null): Generator<AttemptStep> {
    const parser = this.#parser;
    if (!parser) return;
    for (let slice = parser.finishSlice(finishReason); ; slice = parser.nextSlice()) {
      yield* this.#pass(slice.events);
      if (this.#looped || !slice.more) return;
      yield TURN;
    }
  }

  /** Made at the first text, because only then is it known whether the upstream splits reasoning off itself. */
  #parserNow(): TimedParser {
    const { text, output, clock } = this.#reading;
    const reasoningOpened = text.reasoningOpened && !this.splitUpstream;
    this.#parser ??= new TimedParser(createOutputParser({ ...text, reasoningOpened }, output), clock);
    return this.#parser;
  }

  *#pass(events: readonly ParserEvent[]): Generator<AttemptStep> {
    for (const event of events) {
      if (this.#looped) return;
      // What was held until now and turns out to be markup takes its log-probabilities with it.
      if (isMarkup(event)) this.#extra.forget("logprobs");
      switch (event.type) {
        case "text": {
          const extra = this.#extra.take();
          yield { ...event, ...(extra.length > 0 && { extra }) };
          break;
        }
        case "call": {
          if (this.#written.add(event.call)) {
            this.#looped = true;
            this.ranAway = true;
            yield { type: "issue", issue: runawayIssue(event.call, event.call.origin) };
            break;
          }
          const call = { ...event.call, id: this.#ids.take(event.call.id) };
          this.#native.leaked(call);
          yield { type: "call", call };
          break;
        }
        case "reasoning":
        case "issue":
        case "dropped":
          yield event;
          break;
        default:
          event satisfies never;
      }
    }
  }

  *#restOfExtra(): Generator<AttemptStep> {
    const rest = withoutLogprobs(this.#extra.take());
    if (rest.length > 0) yield { type: "text", text: "", extra: rest };
  }
}

function isMarkup(event: ParserEvent): boolean {
  return event.type !== "text";
}
