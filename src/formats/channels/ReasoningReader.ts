// Reads a reasoning block from its opener, in the text or in the prompt, to its end: the closer, the answer's marker, the turn's end,
// or a call. Reads no call itself.

import { BACKTICK, LESS_THAN, NEWLINE } from "../scanner/charCodes.ts";
import { findNext, matchesLiteral, measureMatch, measureWhile, peek } from "../scanner/combinators.ts";
import { END, type Parser, StopTable } from "../scanner/Source.ts";
import { isBlank } from "../scanner/whitespace.ts";
import { LEAD } from "../specs/callTags.ts";
import type { ReasoningRow } from "../specs/chatTemplates.ts";
import { classifyMarker } from "../specs/chatTemplates.ts";
import { REASONING } from "../specs/lookupTables.ts";
import { SIGNS } from "../specs/markers.ts";
import type { ParserState } from "../state/ParserState.ts";
import { type Framing, readFraming } from "./chatTemplateTokens.ts";
import { CALL_ROLES, dropCutMark, type Mark, matchChannelMarker } from "./markerAt.ts";

/** Characters at which the reader of an open block stops. */
export const REASONING_STOPS = new StopTable(`<${SIGNS}${LEAD.charAt(0)}\`\n`);
const MARKS = new StopTable(`<${SIGNS}`);
const BAR = new StopTable("|｜");
/** Maximum white space after a closer that is examined to see if the closer is alone on its line. */
const LINE_REST = 64;
const SENTENCE_ENDS = ".!?…。！？";

/** A block that is open. */
interface Block {
  /** Absent if the prompt opened the block: then closers of several specs close it. */
  readonly row: ReasoningRow | undefined;
  /** True between backticks on one line: markers of calls are quoted. */
  isQuoted: boolean;
  /** Offset of the closer, set once a call inside the block had to be judged; -1 if there is none. */
  closer: number | undefined;
}

/** Reasoning specs of a model by the id of its own: that one and those that go with it. */
const SPECS_BY_ID: ReadonlyMap<string | undefined, readonly ReasoningRow[]> = new Map(
  REASONING.map((spec) => [spec.id, REASONING.filter(({ id }) => id === spec.id || spec.also?.includes(id))]),
);

export class ReasoningReader {
  /** True if a block is open: this reader makes the next step. */
  isOpen = false;
  /** The model may open its reasoning by a sentence. */
  readonly opensBySentence: boolean;
  readonly #state: ParserState;
  /** Reads a marker that may contain a call, as the text channel does. */
  readonly #readMarker: (marker: Mark) => Parser<void>;
  /** Reasoning specs whose markers the model is known to write. */
  readonly #ownSpecs: readonly ReasoningRow[];
  /** Specs with an opener that was text of the answer. Their closers are text too. */
  readonly #textSpecs = new Set<ReasoningRow>();
  #block: Block = { row: undefined, isQuoted: false, closer: undefined };
  /** A block has been closed. */
  #hasHadBlock = false;

  constructor(state: ParserState, readMarker: (marker: Mark) => Parser<void>) {
    this.#state = state;
    this.#readMarker = readMarker;
    this.#ownSpecs = SPECS_BY_ID.get(state.options.reasoning?.marks) ?? [];
    this.opensBySentence = this.#ownSpecs.some(({ open }) => open.some(isSentence));
  }

  /** Begins a block. Without a spec the opener is unknown: it is in the prompt, or is a message's heading. */
  begin(spec?: ReasoningRow): void {
    this.#state.sink.enterChannel("reasoning");
    this.#block = { row: spec, isQuoted: false, closer: undefined };
    this.isOpen = true;
  }

  /** Reads a framing marker at the cursor, in the text or inside a block. */
  *readFraming(marker: Mark): Parser<Framing> {
    return yield* readFraming(this.#state, marker, () => this.begin());
  }

  /** Reads an opener of `length` characters at the cursor. If it is not accepted, it is text. */
  *open(spec: ReasoningRow, length: number): Parser<void> {
    const state = this.#state;
    if (!this.#isAcceptedOpener(spec)) return state.writeNext(length);
    const word = spec.word ?? "";
    const matchedLength = yield* measureMatch(state.source, word, length);
    if (matchedLength < word.length) {
      const isCut = state.source.code(length + matchedLength) === END && state.finish === "cut";
      return state.dropMarker(isCut ? length + matchedLength : length, isCut ? "cut-mark" : "stray-mark");
    }
    state.dropMarker(length + matchedLength);
    this.begin(spec);
  }

  /** A sentence by which some models open their reasoning, at the start of the text. */
  *openBySentence(): Parser<boolean> {
    for (const spec of this.#ownSpecs) {
      for (const opener of spec.open) {
        if (!isSentence(opener) || !(yield* matchesLiteral(this.#state.source, opener))) continue;
        yield* this.open(spec, opener.length);
        return true;
      }
    }
    return false;
  }

  /** A closer of `length` characters without its block stands at the cursor. */
  *readLateCloser(spec: ReasoningRow, length: number): Parser<void> {
    const state = this.#state;
    const at = state.source.offset;
    const isAfterBlock = !state.sink.hasVisibleText && (this.#hasHadBlock || state.hasCallMarker);
    if (this.#textSpecs.has(spec) || !(isAfterBlock || (yield* this.#isCloserWithoutOpener(spec, length))))
      return state.writeNext(length);
    state.dropMarker(length, "stray-mark");
    this.#hasHadBlock = true;
    if (isAfterBlock) return;
    const message = "Reasoning was closed that was not known to be open: what precedes the mark was sent as content.";
    state.reportIssue({ code: "stray-mark", message, at });
  }

  /** Reads on in the open block, at a character that may begin something there. */
  *step(code: number): Parser<void> {
    const block = this.#block;
    if (code === NEWLINE) yield* this.#readNewline(block);
    else if (code === BACKTICK) {
      block.isQuoted = !block.isQuoted;
      this.#state.writeNext(1);
    } else yield* this.#readMarkerInside(block);
  }

  *#readNewline(block: Block): Parser<void> {
    this.#state.writeNext(1);
    block.isQuoted = false;
    const closer = block.row?.close[0] ?? "";
    if (isSentence(closer) && (yield* matchesLiteral(this.#state.source, closer))) this.#dropCloser(closer.length);
  }

  *#readMarkerInside(block: Block): Parser<void> {
    const state = this.#state;
    const { source } = state;
    const marker = yield* matchChannelMarker(source);
    if (marker === "cut" && source.code() === LESS_THAN && BAR.has(source.code(1)) && dropCutMark(state)) return;
    if (marker === undefined || marker === "cut" || !marker.role) return state.writeNext(1);
    const { role, raw, tag } = marker;
    if (role.type === "reasoning-close" && this.#isAcceptedCloser(role.row, block)) this.#dropCloser(raw.length);
    else if (role.type === "reasoning-open" && tag && !state.sink.hasVisibleText)
      yield* this.#dropRepeatedOpener(role.row, raw.length);
    else if (role.type === "frame" && tag) yield* this.#readFrame(marker);
    else if (CALL_ROLES.has(role.type) && role.type !== "tool-label") yield* this.#readCallInside(block, marker);
    else state.writeNext(raw.length);
  }

  /** The answer's own opener ends the reasoning, and so does the heading of the next message; any other marker is part of the reasoning. */
  *#readFrame(marker: Mark): Parser<void> {
    const { template } = this.#state;
    if (template && classifyMarker(template, marker.name) === "open") return this.#dropCloser(marker.raw.length);
    if ((yield* this.readFraming(marker)) === "message") this.#endBlock();
  }

  /** The opener that the prompt has written already, written again. */
  *#dropRepeatedOpener({ word }: ReasoningRow, length: number): Parser<void> {
    const hasWord = word !== undefined && (yield* matchesLiteral(this.#state.source, word, length));
    this.#state.dropMarker(hasWord ? length + word.length : length);
  }

  /**
   * Handles a call marker inside reasoning. If the prompt opened the block, or the model never closes it, a call ends the reasoning.
   * Inside a block that the model opens and closes, it is a thought about a call.
   */
  *#readCallInside(block: Block, marker: Mark): Parser<void> {
    const state = this.#state;
    const { length } = marker.raw;
    if (state.callableNames.length === 0 || block.isQuoted) return state.writeNext(length);
    if (block.row) {
      block.closer ??= yield* this.#findCloser(block.row);
      if (state.source.offset < block.closer) return state.writeNext(length);
    }
    const callCountBefore = state.sink.callCount;
    const at = state.source.offset;
    yield* this.#readMarker(marker);
    if (state.sink.callCount > callCountBefore) this.#endBlock();
    else if (state.source.offset === at) state.writeNext(length);
  }

  /** The offset of the block's closer, or -1; nothing is consumed. */
  *#findCloser(spec: ReasoningRow): Parser<number> {
    const { source } = this.#state;
    const start = source.offset;
    source.startBuffering();
    const isFound = yield* findNext(source, MARKS, Number.MAX_SAFE_INTEGER, function* () {
      const marker = yield* matchChannelMarker(source);
      const role = marker === "cut" ? undefined : marker?.role;
      return role?.type === "reasoning-close" && role.row === spec;
    });
    const closer = isFound ? source.offset : -1;
    source.rewind(start);
    return closer;
  }

  #dropCloser(length: number): void {
    this.#state.dropMarker(length);
    this.#endBlock();
  }

  #endBlock(): void {
    this.isOpen = false;
    this.#hasHadBlock = true;
    this.#state.beginLine();
    this.#state.sink.enterChannel("text", this.#state.visibleCount === 0);
  }

  /** Returns true if an opener at the cursor opens a block; otherwise it is text. */
  #isAcceptedOpener(spec: ReasoningRow): boolean {
    const isOwn = this.#ownSpecs.includes(spec);
    const isAccepted = this.#isAtMessageStart()
      ? isOwn || spec.everyModel === true
      : isOwn && this.#state.options.reasoning?.interleaved === true && this.#isAtSentenceStart();
    if (!isAccepted) this.#textSpecs.add(spec);
    return isAccepted;
  }

  /** Returns true if a closer ends the block. Section text ends a block that the prompt opened only if the model writes it or is unknown. */
  #isAcceptedCloser(spec: ReasoningRow, block: Block): boolean {
    return block.row
      ? block.row === spec
      : spec.section !== true || this.#ownSpecs.includes(spec) || this.#ownSpecs.length === 0;
  }

  /** Returns true if a closer of `length` characters at the cursor, after text, counts without its opener. */
  *#isCloserWithoutOpener(spec: ReasoningRow, length: number): Parser<boolean> {
    const isOwn = this.#ownSpecs.includes(spec);
    if ((isOwn || (spec.everyModel && this.#isAtMessageStart())) && !this.#hasHadBlock) return true;
    return (!spec.section || isOwn) && (yield* this.#isAloneOnLine(length));
  }

  /** True if no visible character of the message precedes the cursor. After a call, and at an accepted heading, another message begins. */
  #isAtMessageStart(): boolean {
    const { visibleCount, sink, isAfterCallOrHeading } = this.#state;
    return isAfterCallOrHeading || (visibleCount === 0 && (sink.channel === "text" || !sink.hasVisibleText));
  }

  /** True if a sentence could begin at the cursor. A marker within a sentence is a mention. */
  #isAtSentenceStart(): boolean {
    const { isAtLineStart, isAfterBullet, lastVisible, secondLastVisible } = this.#state;
    return (isAtLineStart && !isAfterBullet) || (SENTENCE_ENDS.includes(lastVisible) && !/\d/.test(secondLastVisible));
  }

  *#isAloneOnLine(length: number): Parser<boolean> {
    const { source, isAtLineStart, isAfterBullet } = this.#state;
    if (!isAtLineStart || isAfterBullet) return false;
    const end = yield* measureWhile(source, (code) => code !== NEWLINE && isBlank(code), length, LINE_REST);
    const code = yield* peek(source, end);
    return code === END || code === NEWLINE;
  }
}

function isSentence(marker: string): boolean {
  return marker.startsWith("Here ");
}

/** Channel headers that prompts write as framing. They are no markers of model text. */
const PROMPT_CHANNELS: readonly Pick<ReasoningRow, "open" | "close" | "word">[] = [
  { open: ["<|channel|>analysis<|message|>"], close: ["<|end|>"] },
  { open: ["<|open|>think<|sep|>"], close: ["<|close|>think<|sep|>"] },
];

/** Returns true if a prompt ends inside a reasoning block, so that the model's text starts there. The last marker decides. */
export function opensReasoning(generationPrompt: string): boolean {
  const prompt = generationPrompt.replace(DECORATED_THINK, "<$1think>");
  const findLast = (markers: readonly string[]) =>
    markers.reduce((at, marker) => Math.max(at, prompt.lastIndexOf(marker)), -1);
  const specs = [...PROMPT_CHANNELS, ...REASONING];
  const lastOpener = findLast(specs.flatMap(({ open, word = "" }) => open.map((marker) => spellMarker(marker) + word)));
  return lastOpener > findLast(specs.flatMap(({ close }) => close.map(spellMarker)));
}

/** `<seed:think>`, `<ifm|think>`, `<think:high>`: the vendor's prefix or suffix changes nothing. */
const DECORATED_THINK = /<(\/?)(?:\w{1,32}[:|])?think(?::\w{1,32})?>/g;

/** Spells a marker of the table as text: tag names get angle brackets; sentences and bracket markers stay. */
function spellMarker(marker: string): string {
  return /^[/|\w]+$/.test(marker) ? `<${marker}>` : marker;
}
