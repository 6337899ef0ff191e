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
  quoted: boolean;
  /** Offset of the closer, set once a call inside the block had to be judged; -1 if there is none. */
  closer: number | undefined;
}

/** Reasoning specs of a model by the id of its own: that one and those that go with it. */
const OWN: ReadonlyMap<string | undefined, readonly ReasoningRow[]> = new Map(
  REASONING.map((row) => [row.id, REASONING.filter(({ id }) => id === row.id || row.also?.includes(id))]),
);

export class ReasoningReader {
  /** True if a block is open: this reader makes the next step. */
  isOpen = false;
  /** The model may open its reasoning by a sentence. */
  readonly hasSentences: boolean;
  readonly #turn: ParserState;
  /** Reads a marker that may contain a call, as the text channel does. */
  readonly #read: (mark: Mark) => Parser<void>;
  /** Reasoning specs whose markers the model is known to write. */
  readonly #own: readonly ReasoningRow[];
  /** Specs with an opener that was text of the answer. Their closers are text too. */
  readonly #asText = new Set<ReasoningRow>();
  #block: Block = { row: undefined, quoted: false, closer: undefined };
  /** A block has been closed. */
  #had = false;

  constructor(turn: ParserState, read: (mark: Mark) => Parser<void>) {
    this.#turn = turn;
    this.#read = read;
    this.#own = OWN.get(turn.options.reasoning?.marks) ?? [];
    this.hasSentences = this.#own.some(({ open }) => open.some(isSentence));
  }

  /** Begins a block. Without a spec the opener is unknown: it is in the prompt, or is a message's heading. */
  begin(row?: ReasoningRow): void {
    this.#turn.sink.enter("reasoning");
    this.#block = { row, quoted: false, closer: undefined };
    this.isOpen = true;
  }

  /** Reads a framing marker at the cursor, in the text or inside a block. */
  *framing(mark: Mark): Parser<Framing> {
    return yield* readFraming(this.#turn, mark, () => this.begin());
  }

  /** Reads an opener of `length` characters at the cursor. If it is not accepted, it is text. */
  *open(row: ReasoningRow, length: number): Parser<void> {
    const turn = this.#turn;
    if (!this.#opens(row)) return turn.pass(length);
    const word = row.word ?? "";
    const seen = yield* measureMatch(turn.source, word, length);
    if (seen < word.length) {
      const cut = turn.source.code(length + seen) === END && turn.finish === "cut";
      return turn.dropMark(cut ? length + seen : length, cut ? "cut-mark" : "stray-mark");
    }
    turn.dropMark(length + seen);
    this.begin(row);
  }

  /** A sentence by which some models open their reasoning, at the start of the text. */
  *openBySentence(): Parser<boolean> {
    for (const row of this.#own) {
      for (const opener of row.open) {
        if (!isSentence(opener) || !(yield* matchesLiteral(this.#turn.source, opener))) continue;
        yield* this.open(row, opener.length);
        return true;
      }
    }
    return false;
  }

  /** A closer of `length` characters without its block stands at the cursor. */
  *lateCloser(row: ReasoningRow, length: number): Parser<void> {
    const turn = this.#turn;
    const at = turn.source.offset;
    const follows = !turn.sink.hasVisible && (this.#had || turn.announced);
    if (this.#asText.has(row) || !(follows || (yield* this.#closesUnopened(row, length)))) return turn.pass(length);
    turn.dropMark(length, "stray-mark");
    this.#had = true;
    if (follows) return;
    const message = "Reasoning was closed that was not known to be open: what precedes the mark was sent as content.";
    turn.note({ code: "stray-mark", message, at });
  }

  /** Reads on in the open block, at a character that may begin something there. */
  *step(code: number): Parser<void> {
    const block = this.#block;
    if (code === NEWLINE) yield* this.#newline(block);
    else if (code === BACKTICK) {
      block.quoted = !block.quoted;
      this.#turn.pass(1);
    } else yield* this.#mark(block);
  }

  *#newline(block: Block): Parser<void> {
    this.#turn.pass(1);
    block.quoted = false;
    const closer = block.row?.close[0] ?? "";
    if (isSentence(closer) && (yield* matchesLiteral(this.#turn.source, closer))) this.#close(closer.length);
  }

  *#mark(block: Block): Parser<void> {
    const turn = this.#turn;
    const { source } = turn;
    const mark = yield* matchChannelMarker(source);
    if (mark === "cut" && source.code() === LESS_THAN && BAR.has(source.code(1)) && dropCutMark(turn)) return;
    if (mark === undefined || mark === "cut" || !mark.role) return turn.pass(1);
    const { role, raw, tag } = mark;
    if (role.type === "reasoning-close" && this.#closes(role.row, block)) this.#close(raw.length);
    else if (role.type === "reasoning-open" && tag && !turn.sink.hasVisible)
      yield* this.#reopened(role.row, raw.length);
    else if (role.type === "frame" && tag) yield* this.#frame(mark);
    else if (CALL_ROLES.has(role.type) && role.type !== "tool-label") yield* this.#callInside(block, mark);
    else turn.pass(raw.length);
  }

  /** The answer's own opener ends the reasoning, and so does the heading of the next message; any other marker is part of the reasoning. */
  *#frame(mark: Mark): Parser<void> {
    const { wire } = this.#turn;
    if (wire && classifyMarker(wire, mark.name) === "open") return this.#close(mark.raw.length);
    if ((yield* this.framing(mark)) === "message") this.#end();
  }

  /** The opener that the prompt has written already, written again. */
  *#reopened({ word }: ReasoningRow, length: number): Parser<void> {
    const whole = word !== undefined && (yield* matchesLiteral(this.#turn.source, word, length));
    this.#turn.dropMark(whole ? length + word.length : length);
  }

  /**
   * Handles a call marker inside reasoning. If the prompt opened the block, or the model never closes it, a call ends the reasoning.
   * Inside a block that the model opens and closes, it is a thought about a call.
   */
  *#callInside(block: Block, mark: Mark): Parser<void> {
    const turn = this.#turn;
    const { length } = mark.raw;
    if (turn.offered.length === 0 || block.quoted) return turn.pass(length);
    if (block.row) {
      block.closer ??= yield* this.#findCloser(block.row);
      if (turn.source.offset < block.closer) return turn.pass(length);
    }
    const before = turn.sink.callCount;
    const at = turn.source.offset;
    yield* this.#read(mark);
    if (turn.sink.callCount > before) this.#end();
    else if (turn.source.offset === at) turn.pass(length);
  }

  /** The offset of the block's closer, or -1; nothing is consumed. */
  *#findCloser(row: ReasoningRow): Parser<number> {
    const { source } = this.#turn;
    const start = source.offset;
    source.hold();
    const stands = yield* findNext(source, MARKS, Number.MAX_SAFE_INTEGER, function* () {
      const mark = yield* matchChannelMarker(source);
      const role = mark === "cut" ? undefined : mark?.role;
      return role?.type === "reasoning-close" && role.row === row;
    });
    const closer = stands ? source.offset : -1;
    source.rewind(start);
    return closer;
  }

  #close(length: number): void {
    this.#turn.dropMark(length);
    this.#end();
  }

  #end(): void {
    this.isOpen = false;
    this.#had = true;
    this.#turn.beginLine();
    this.#turn.sink.enter("text", this.#turn.shown === 0);
  }

  /** Returns true if an opener at the cursor opens a block; otherwise it is text. */
  #opens(row: ReasoningRow): boolean {
    const own = this.#own.includes(row);
    const believed = this.#atBeginning()
      ? own || row.everyModel === true
      : own && this.#turn.options.reasoning?.interleaved === true && this.#atSentence();
    if (!believed) this.#asText.add(row);
    return believed;
  }

  /** Returns true if a closer ends the block. Section text ends a block that the prompt opened only if the model writes it or is unknown. */
  #closes(row: ReasoningRow, block: Block): boolean {
    return block.row ? block.row === row : row.section !== true || this.#own.includes(row) || this.#own.length === 0;
  }

  /** Returns true if a closer of `length` characters at the cursor, after text, counts without its opener. */
  *#closesUnopened(row: ReasoningRow, length: number): Parser<boolean> {
    const own = this.#own.includes(row);
    if ((own || (row.everyModel && this.#atBeginning())) && !this.#had) return true;
    return (!row.section || own) && (yield* this.#aloneOnLine(length));
  }

  /** True if no visible character of the message precedes the cursor. After a call, and at an accepted heading, another message begins. */
  #atBeginning(): boolean {
    const { shown, sink, isBehindCallOrHeading } = this.#turn;
    return isBehindCallOrHeading || (shown === 0 && (sink.channel === "text" || !sink.hasVisible));
  }

  /** True if a sentence could begin at the cursor. A marker within a sentence is a mention. */
  #atSentence(): boolean {
    const { lineStart, behindBullet, lastShown, shownBefore } = this.#turn;
    return (lineStart && !behindBullet) || (SENTENCE_ENDS.includes(lastShown) && !/\d/.test(shownBefore));
  }

  *#aloneOnLine(length: number): Parser<boolean> {
    const { source, lineStart, behindBullet } = this.#turn;
    if (!lineStart || behindBullet) return false;
    const end = yield* measureWhile(source, (code) => code !== NEWLINE && isBlank(code), length, LINE_REST);
    const code = yield* peek(source, end);
    return code === END || code === NEWLINE;
  }
}

function isSentence(mark: string): boolean {
  return mark.startsWith("Here ");
}

/** Channel headers that prompts write as framing. They are no markers of model text. */
const PROMPT_CHANNELS: readonly Pick<ReasoningRow, "open" | "close" | "word">[] = [
  { open: ["<|channel|>analysis<|message|>"], close: ["<|end|>"] },
  { open: ["<|open|>think<|sep|>"], close: ["<|close|>think<|sep|>"] },
];

/** Returns true if a prompt ends inside a reasoning block, so that the model's text starts there. The last marker decides. */
export function opensReasoning(generationPrompt: string): boolean {
  const prompt = generationPrompt.replace(DECORATED_THINK, "<$1think>");
  const last = (marks: readonly string[]) => marks.reduce((at, mark) => Math.max(at, prompt.lastIndexOf(mark)), -1);
  const rows = [...PROMPT_CHANNELS, ...REASONING];
  const opened = last(rows.flatMap(({ open, word = "" }) => open.map((mark) => spelled(mark) + word)));
  return opened > last(rows.flatMap(({ close }) => close.map(spelled)));
}

/** `<seed:think>`, `<ifm|think>`, `<think:high>`: the vendor's prefix or suffix changes nothing. */
const DECORATED_THINK = /<(\/?)(?:\w{1,32}[:|])?think(?::\w{1,32})?>/g;

/** Spells a marker of the table as text: tag names get angle brackets; sentences and bracket markers stay. */
function spelled(mark: string): string {
  return /^[/|\w]+$/.test(mark) ? `<${mark}>` : mark;
}
