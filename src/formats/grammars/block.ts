// A wrapper (`<tool_call>…</tool_call>` and its many cousins): its body's first characters decide how the calls in it are read.
// The wrappers themselves are data in families/blocks.ts.
import type { CallCandidate } from "../CallCandidate.ts";
import { decodeBody, decodePythonBody } from "../decodeBody.ts";
import { decodeJson } from "../decoders/decodeJson.ts";
import { type BlockRow, CODE_TOOLS, type Dialect } from "../families/blocks.ts";
import { LEAD } from "../families/callTags.ts";
import { TURN_ENDS } from "../families/frames.ts";
import { END, type Reading, StopTable, WAIT } from "../Source.ts";
import { type ScanEnd, scanBalanced } from "../scanBalanced.ts";
import { peek, readTag, readTagOrCut, startsWith, type Tag } from "../Tag.ts";
import { isBlank } from "../TextSink.ts";
import { skipBlanks, type Turn } from "../Turn.ts";
import { isNameChild, isPairTag, nameOf, opensCall } from "./callMarks.ts";
import { skipComment } from "./comment.ts";
import { type ElementCall, readElementCall } from "./elements.ts";

/** Characters of a bare name; longer is prose. */
const NAME_LIMIT = 160;

export interface BlockOpen {
  readonly row: BlockRow;
  /** The mark as it stands at the cursor. */
  readonly raw: string;
  readonly tag?: Tag | undefined;
  /** Every tag of the body is preceded by the lead token. */
  readonly lead?: boolean | undefined;
}

/** Reads a block whose opening mark stands at the cursor, and emits what it holds. */
export function* readBlock(turn: Turn, open: BlockOpen): Reading<void> {
  yield* new BlockReader(turn, open).read();
}

/** A call whose JSON or Python body waits for the block's end. */
interface Item {
  readonly from: number;
  readonly to: number;
  readonly name?: string | undefined;
  readonly dialect: Dialect;
}

class BlockReader {
  readonly #turn: Turn;
  readonly #open: BlockOpen;
  /** Behind the mark that opened the block, or the last of several: what stands before it is not read twice. */
  #markEnd: number;
  #items: Item[] = [];
  /** Anything that is no mark, blank or comma has been read. */
  #any = false;
  /** Between the lines of a fence: a call a line. */
  #fenced = false;
  /** The block's own closer has been read. */
  #closed = false;
  /** A bracket that opens nothing has been read. */
  #stray = false;
  /** Behind the last thing that belongs to the block. */
  #end = 0;

  constructor(turn: Turn, open: BlockOpen) {
    this.#turn = turn;
    this.#open = open;
    this.#markEnd = turn.source.offset + open.raw.length;
  }

  *read(): Reading<void> {
    const { source } = this.#turn;
    this.#turn.begin();
    source.skip(this.#open.raw.length);
    const tag = this.#open.tag;
    if (tag && nameOf(tag) !== undefined && opensCall(tag)) {
      yield* this.#element(tag);
      return this.#turn.endCapture();
    }
    while (!(yield* this.#step()));
    if (source.holding) this.#turn.endCapture();
  }

  /** Reads one thing of the body; true where the block is over. */
  *#step(): Reading<boolean> {
    const { source } = this.#turn;
    const blanks = source.offset;
    const code = yield* skipBlanks(source);
    if (code === END) return this.#atEnd();
    if (source.offset - source.heldFrom > this.#turn.options.captureChars) return this.#overlong();
    if ((code === 44 || code === 59) && this.#any) {
      source.skip(1);
      return false;
    }
    if (code === 47 && !this.#any && (yield* skipComment(source))) return false;
    if (code === 60) return yield* this.#mark();
    if (code === 93 && (yield* startsWith(source, LEAD))) return yield* this.#mark();
    if ((code === 91 || code === 93) && (yield* this.#bracketCloser())) return true;
    if (code === 91 && this.#open.row.open === "[TOOL_CALLS]" && this.#any) return this.#flush();
    if (code === 91 && this.#open.row.open === "[TOOL_CALLS]" && (yield* this.#strayBracket())) {
      source.skip(1);
      this.#stray = true;
      return false;
    }
    if (code === 123 || code === 91) return yield* this.#bracketed("json");
    if ((code === 125 || code === 93) && this.#any) {
      source.skip(1);
      return false;
    }
    if (code === 96 && (yield* startsWith(source, "```"))) return yield* this.#fence();
    if ((this.#items.length > 0 || this.#any) && !this.#fenced) {
      if (this.#items.length === 0) source.back(blanks);
      return this.#flush();
    }
    if (this.#open.row.code) return yield* this.#code();
    return yield* this.#named();
  }

  *#bracketed(dialect: Dialect, name?: string, nameFrom?: number): Reading<boolean> {
    const { source } = this.#turn;
    const from = nameFrom ?? source.offset;
    const array = source.code() === 91;
    const scan = yield* scanBalanced(source, source.heldFrom + this.#turn.options.captureChars);
    this.#any = true;
    if (scan === "balanced") {
      this.#items.push({ from, to: source.offset, name, dialect: array && dialect === "json" ? "array" : dialect });
      if (this.#stray && (yield* peek(source)) === 93) source.skip(1);
      this.#end = source.offset;
      return this.#open.row.close.length === 0 && this.#open.row.open === "[TOOL_CALLS]"
        ? yield* this.#afterArgs()
        : false;
    }
    return yield* this.#unreadable(scan, from);
  }

  /** Whether the bracket at the cursor opens nothing: another one follows it, or a name with arguments. */
  *#strayBracket(): Reading<boolean> {
    const { source } = this.#turn;
    let ahead = 1;
    while (isBlank(yield* peek(source, ahead)) && ahead < NAME_LIMIT) ahead += 1;
    if ((yield* peek(source, ahead)) === 91) return true;
    const from = ahead;
    while (isWordCode(yield* peek(source, ahead)) && ahead < NAME_LIMIT) ahead += 1;
    const behind = yield* peek(source, ahead);
    return ahead > from && (behind === 91 || behind === 123);
  }

  /** Behind the arguments of a block without closer, only another block of its kind goes on. */
  *#afterArgs(): Reading<boolean> {
    yield* peek(this.#turn.source);
    return this.#flush();
  }

  /** A body whose brackets do not balance: cut, or broken by something that no value holds. */
  *#unreadable(scan: ScanEnd, from: number): Reading<boolean> {
    if (scan === "refused") return this.#overlong();
    if (scan === "broken" && this.#open.row.looseArray && (yield* this.#looseArray())) return false;
    if ((scan === "broken" || this.#turn.finish === "normal") && (yield* this.#recover(from)))
      return yield* this.#resume();
    if (scan === "cut") {
      this.#settleItems();
      this.#turn.issue("truncated-call", "The text ended inside this tool call.", this.#family("json"));
      return true;
    }
    yield* this.#skipToMark();
    this.#unbalanced();
    return yield* this.#resume();
  }

  #unbalanced(): void {
    this.#settleItems();
    this.#turn.issue(
      "malformed-call",
      "The body of this tool call is not valid JSON: its brackets do not match.",
      this.#family("json"),
    );
  }

  /**
   * Looks again for the end of a body whose brackets do not match, a string that is never closed being the usual reason: the first
   * opener, closer or end of the turn that stands where one would. False where there is none, or where a turn has too many of these.
   */
  *#recover(from: number): Reading<boolean> {
    const { source } = this.#turn;
    const behind = source.offset;
    if (!this.#turn.mayReadAgain()) return false;
    source.back(from);
    for (;;) {
      source.advance(RECOVERY_STOPS, behind + 1);
      if (source.offset > behind || source.code() === END) break;
      if (yield* this.#endStands()) {
        const body = this.#turn.captured(from, source.offset);
        if (decodeJson(body)) this.#items.push({ from, to: source.offset, dialect: "json" });
        else this.#unbalanced();
        this.#end = source.offset;
        return true;
      }
      source.skip(1);
    }
    source.skip(behind - source.offset);
    return false;
  }

  /** Whether a mark at the cursor ends this block: another opener, the turn's end, or a closer with a line's end or a mark behind it. */
  *#endStands(): Reading<boolean> {
    const { source } = this.#turn;
    const { open, close } = this.#open.row;
    for (const literal of [open, ...close]) {
      if (literal.startsWith("[") && (yield* startsWith(source, literal))) return true;
    }
    if ((yield* peek(source)) !== 60) return false;
    const tag = yield* readTag(source, () => true);
    if (!tag) return false;
    const name = tag.closing ? `/${tag.name}` : tag.name;
    if (name === open || TURN_ENDS.has(name)) return true;
    if (!close.includes(name)) return false;
    const next = yield* peek(source, tag.raw.length);
    return next === END || next === 10 || next === 13 || next === 60;
  }

  /** An array whose closing bracket was left out right before the block's closer. */
  *#looseArray(): Reading<boolean> {
    const { source } = this.#turn;
    const closer = yield* readTag(source, (name) => this.#open.row.close.includes(`/${name}`));
    if (!closer?.closing) return false;
    const body = this.#turn.captured(this.#markEnd, source.offset).trim();
    const mended = body.startsWith("[") ? `${body}]` : body;
    const decoded = decodeBody(this.#turn, mended, true);
    if (!decoded) return false;
    const repaired = decoded.candidates.map((one) => ({ ...one, repairs: [...one.repairs, "missing-bracket"] }));
    this.#items = [];
    this.#turn.emit(repaired, this.#family("json"));
    return true;
  }

  *#mark(): Reading<boolean> {
    const { source } = this.#turn;
    const lead = (yield* peek(source)) === 93;
    const tag = lead ? yield* readTag(source, () => true, LEAD.length) : yield* readTagOrCut(source, () => true);
    if (tag === "cut") {
      if (this.#turn.finish === "cut") this.#turn.skipToEnd();
      return this.#atEnd();
    }
    if (!tag) return this.#any ? this.#flush() : this.#refute();
    const raw = lead ? LEAD + tag.raw : tag.raw;
    const name = tag.closing ? `/${tag.name}` : tag.name;
    if (this.#open.row.close.includes(name)) {
      source.skip(raw.length);
      this.#closed = true;
      return this.#any ? this.#flush() : this.#empty();
    }
    if (opensCall(tag) || isNameChild(tag)) {
      this.#settleItems();
      this.#any = true;
      if (!isNameChild(tag)) source.skip(raw.length);
      yield* this.#element({ ...tag, raw }, lead);
      return !source.holding;
    }
    if (tag.name === this.#open.row.open || WRAPS.has(tag.name)) {
      if (this.#items.length > 0) return tag.closing ? this.#flush() : yield* this.#openerBehind(raw.length);
      source.skip(raw.length);
      if (!this.#any) this.#markEnd = source.offset;
      if (tag.closing && !this.#any) return this.#flush();
      return false;
    }
    if (tag.closing) {
      source.skip(raw.length);
      return false;
    }
    if (tag.name === "|plugin|" || tag.name === "|interpreter|") {
      source.skip(raw.length);
      return tag.name === "|interpreter|" ? yield* this.#code() : false;
    }
    return this.#any ? this.#flush() : this.#refute();
  }

  /** An opener behind a whole call begins the next block, or, as the text's last word, it was meant to be the closer. */
  *#openerBehind(length: number): Reading<boolean> {
    const { source } = this.#turn;
    source.skip(length);
    if ((yield* skipBlanks(source)) === END && this.#turn.finish === "normal") this.#closed = true;
    return this.#flush();
  }

  /** Program code up to the closer or the end of the turn: a call of the offered tool that runs code. */
  *#code(): Reading<boolean> {
    const { source } = this.#turn;
    const from = source.offset;
    const until = source.heldFrom + this.#turn.options.captureChars;
    let to = from;
    for (;;) {
      source.advance(MARK_STOPS, until);
      if (source.offset >= until) return this.#overlong();
      const code = yield* peek(source);
      to = source.offset;
      if (code === END) break;
      if (code !== 60) continue;
      const tag = yield* readTag(source, () => true);
      const name = tag?.closing ? `/${tag.name}` : tag?.name;
      if (tag && name !== undefined && (this.#open.row.close.includes(name) || TURN_ENDS.has(name))) {
        if (!TURN_ENDS.has(name)) source.skip(tag.raw.length);
        break;
      }
      source.skip(1);
    }
    const family = this.#family("python");
    if (source.code() === END && source.offset === to && this.#turn.finish === "cut")
      this.#turn.issue("truncated-call", "The text ended inside this program code.", family);
    else this.#turn.emit(this.#codeCalls(this.#turn.captured(from, to)), family);
    return true;
  }

  #codeCalls(body: string): readonly CallCandidate[] {
    const builtin = /^\s*([\w.]{1,128})\.call\(/.exec(body.slice(0, NAME_LIMIT))?.[1];
    const plain = builtin === undefined ? body : body.replace(".call(", "(");
    const calls = decodePythonBody(this.#turn, plain.trim());
    if (calls?.every((one) => this.#turn.resolve(one.name) !== undefined)) return calls;
    const name = builtin ?? codeTool(this.#turn) ?? "python";
    return [{ name, arguments: { type: "text", text: withoutFence(body) }, repairs: [] }];
  }

  *#element(tag: Tag, lead = false): Reading<void> {
    const child = isNameChild(tag);
    const call = yield* readElementCall(this.#turn, {
      tag: child ? this.#open.tag : tag,
      lead: lead || this.#open.lead === true,
    });
    yield* this.#settle(call, this.#elementFamily(tag, call, lead));
  }

  /** Emits what a call of tags became. */
  *#settle(call: ElementCall, family: string): Reading<void> {
    if (call.candidate && (call.end === "closed" || call.end === "implied")) {
      this.#turn.emit([call.candidate], family);
    } else if (call.end === "cut") {
      this.#turn.issue("truncated-call", "The text ended inside this tool call.", family);
    } else if (this.#turn.source.offset - this.#turn.source.heldFrom >= this.#turn.options.captureChars) {
      this.#overlong(family);
    } else {
      yield* this.#skipToMark();
      this.#turn.issue(
        "malformed-call",
        "This tool call cannot be read: its name or its parameters are missing or misplaced.",
        family,
      );
    }
  }

  /** `NAME` in front of pairs, arguments or nothing; `f(a=1)`; or prose, which is no call. */
  *#named(): Reading<boolean> {
    const { source } = this.#turn;
    const from = source.offset;
    const until = from + NAME_LIMIT;
    const code = yield* this.#nameEnd(until);
    const head = this.#turn.captured(from, source.offset).trim().replace(/\\n$/, "");
    const name = /(?:^|\s)to=(\S+)/.exec(head)?.[1] ?? head;
    if (code === 40) {
      if (this.#turn.resolve(name.split(/[\s=]/).at(-1) ?? "") === undefined && name !== "print") return this.#refute();
      return yield* this.#bracketed("python", undefined, from);
    }
    if (name === "function" && code === 10) return false;
    if (code === END && source.offset < until && this.#turn.resolve(name) === undefined && !isIdentifier(name))
      return this.#refute();
    if (code === END && source.offset < until) return this.#atEnd();
    const known = this.#turn.resolve(name) !== undefined;
    if (code === 91) {
      const labelled = yield* this.#labels();
      if (labelled === "cut") return this.#atEnd();
      if (labelled === "arguments") return yield* this.#bracketed("header", name);
    }
    const next = yield* skipBlanks(source);
    if (next === 123 && (known || isIdentifier(name))) return yield* this.#bracketed("header", name);
    if (next === 60 && (known || (isIdentifier(name) && !this.#open.row.word))) {
      const tag = yield* readTagOrCut(source, () => true);
      if (tag === "cut") {
        this.#turn.skipToEnd();
        return this.#atEnd();
      }
      if (tag && isPairTag(tag)) {
        this.#any = true;
        const call = yield* readElementCall(this.#turn, { name, lead: false });
        yield* this.#settle(call, this.#pairsFamily(tag.name === "tool_sep", code === 10));
        return call.end !== "broken";
      }
      if (tag && this.#open.row.close.includes(tag.closing ? `/${tag.name}` : tag.name)) {
        source.skip(tag.raw.length);
        const family = this.#pairsFamily(false, code === 10);
        this.#turn.emit([{ name, arguments: { type: "list", list: [] }, repairs: [] }], family);
        return true;
      }
    }
    if (next === END && known) return this.#atEnd();
    if (next === 60 && !this.#open.row.special && !this.#open.row.word) {
      const tag = yield* readTag(source, () => true);
      if (tag?.closing && this.#open.row.close.includes(`/${tag.name}`)) {
        source.skip(tag.raw.length);
        this.#turn.issue(
          "malformed-call",
          "The body of this tool call is neither JSON nor parameters.",
          this.#family("json"),
        );
        return true;
      }
    }
    return this.#refute();
  }

  /** Moves to what ends a name; END also where it is too long for one. */
  *#nameEnd(until: number): Reading<number> {
    const { source } = this.#turn;
    for (;;) {
      source.advance(NAME_STOPS, until);
      if (source.offset >= until) return END;
      const code = source.code();
      if (code !== WAIT) return code;
      yield;
    }
  }

  /** `[CALL_ID]…` and `[ARGS]` between a name and its arguments. */
  *#labels(): Reading<"arguments" | "cut" | "none"> {
    const { source } = this.#turn;
    if (yield* startsWith(source, "[CALL_ID]")) {
      source.skip("[CALL_ID]".length);
      while (isWordCode(yield* peek(source))) source.skip(1);
    }
    const label = "[ARGS]";
    let seen = 0;
    while (seen < label.length && (yield* peek(source, seen)) === label.charCodeAt(seen)) seen += 1;
    if (source.code(seen) === END) {
      source.skip(seen);
      return "cut";
    }
    if (seen < label.length) return "none";
    source.skip(seen);
    const code = yield* skipBlanks(source);
    return code === 123 ? "arguments" : code === END ? "cut" : "none";
  }

  /** A fence around the body: its lines are nothing. */
  *#fence(): Reading<boolean> {
    const { source } = this.#turn;
    source.skip(3);
    while (isWordCode(yield* peek(source))) source.skip(1);
    if (this.#items.length > 0) this.#end = source.offset;
    this.#fenced = !this.#fenced;
    return false;
  }

  *#bracketCloser(): Reading<boolean> {
    for (const closer of this.#open.row.close) {
      if (closer.startsWith("[") && (yield* startsWith(this.#turn.source, closer))) {
        this.#turn.source.skip(closer.length);
        this.#closed = true;
        return this.#flush();
      }
    }
    return false;
  }

  /** The text ended: what is complete is a call only if the model stopped by itself. */
  #atEnd(): boolean {
    if (this.#items.length > 0 && this.#turn.finish === "normal") return this.#flush();
    if (this.#any && this.#items.length === 0) return true;
    this.#items = [];
    this.#turn.issue("truncated-call", "The text ended before this tool call was complete.", this.#family("json"));
    return true;
  }

  /** An opener and its closer with nothing between: no call, and nothing to ask about. */
  #empty(): boolean {
    this.#turn.endCapture("empty-block");
    return true;
  }

  /** The block is over: what stands behind its last item, if that is no mark of its own, is not part of it. */
  #flush(): boolean {
    if (this.#items.length > 0 && !this.#closed) this.#turn.source.back(this.#end);
    this.#settleItems();
    return true;
  }

  /** Decodes the bodies that were collected; each becomes a call or an issue. */
  #settleItems(): void {
    const items = this.#items;
    this.#items = [];
    if (items.length === 0) return;
    const held = this.#turn.source.peekHeld();
    const start = this.#turn.source.heldFrom;
    const candidates: CallCandidate[] = [];
    let family: string | undefined;
    let unread = 0;
    for (const item of items) {
      const text = held.slice(item.from - start, item.to - start);
      const read = item.name === undefined ? decodeBody(this.#turn, text, true) : this.#headed(item.name, text);
      if (!read) {
        unread += 1;
        continue;
      }
      const dialect = item.name === undefined && read.grammar === "python" ? "python" : item.dialect;
      family ??= this.#family(dialect);
      candidates.push(...read.candidates);
    }
    if (candidates.length > 0) this.#turn.emit(candidates, family ?? this.#family("json"));
    if (unread === 0) return;
    const message = "The body of this tool call is not a JSON object with a name and arguments.";
    if (candidates.length === 0) this.#turn.issue("malformed-call", message, this.#family("json"));
    else this.#turn.note({ code: "malformed-call", message, family: this.#family("json") });
  }

  #headed(name: string, text: string): { candidates: readonly CallCandidate[]; grammar: "json" } | undefined {
    const json = decodeJson(text);
    return (
      json && {
        candidates: [{ name, arguments: { type: "json", text: json.text }, repairs: json.repairs }],
        grammar: "json",
      }
    );
  }

  /** What follows the opener cannot be a call: prose that mentions the mark. */
  #refute(): boolean {
    const { source } = this.#turn;
    if (source.heldFrom >= this.#markEnd) {
      // What the mark announced has left: only the rest is text.
      this.#turn.giveBack(source.heldFrom);
    } else if (this.#open.row.special) {
      const text = source.held(source.heldFrom, this.#markEnd);
      const at = source.heldFrom;
      source.rewind(this.#markEnd);
      this.#turn.note({
        code: "malformed-call",
        message: "A tool call was announced and none followed.",
        family: this.#family("json"),
        at,
        raw: text,
      });
    } else {
      this.#turn.giveBack(this.#markEnd);
    }
    return true;
  }

  /** After a malformed call: go on with the block at the mark that stands here. */
  *#resume(): Reading<boolean> {
    const code = yield* peek(this.#turn.source);
    this.#any = true;
    return code === END;
  }

  /** Moves to the next mark that could end this call or open another; a call's own closer is passed over. */
  *#skipToMark(): Reading<void> {
    const { source } = this.#turn;
    const until = source.heldFrom + this.#turn.options.captureChars;
    for (;;) {
      source.advance(RECOVERY_STOPS, until);
      if (source.offset >= until) return;
      const code = source.code();
      if (code === WAIT) {
        yield;
        continue;
      }
      if (code === END || (code === 91 && (yield* this.#endStands()))) return;
      if (code === 91) {
        source.skip(1);
        continue;
      }
      const tag = yield* readTag(
        source,
        (name) =>
          name === "" ||
          RESUME.has(name) ||
          this.#open.row.close.includes(`/${name}`) ||
          this.#open.row.close.includes(name),
      );
      if (tag) {
        if (tag.closing && CALL_CLOSERS.has(tag.name)) source.skip(tag.raw.length);
        return;
      }
      source.skip(1);
    }
  }

  #overlong(family = this.#family("json")): boolean {
    this.#items = [];
    this.#turn.issue(
      "truncated-call",
      `This tool call is longer than ${this.#turn.options.captureChars} characters, the limit of one capture.`,
      family,
    );
    this.#turn.abandon();
    return true;
  }

  #family(dialect: Dialect): string {
    const { row, tag, lead } = this.#open;
    if (lead) return "minimax-m3";
    const named = tag && row.namespaces?.[tag.prefix];
    if (named !== undefined) return named;
    const choice = row.families[dialect] ?? row.families.json;
    if (typeof choice === "string") return choice;
    return this.#turn.options.formats.find((format) => choice.includes(format)) ?? choice[0];
  }

  /** Families that share the pairs of a wrapper differ in what stands behind the name, and in the suffix of their tags. */
  #pairsFamily(separated: boolean, onLine: boolean): string {
    const family = this.#family("pairs");
    const suffix = this.#open.tag?.suffix ?? "";
    if (suffix !== "") return suffix === "opensource" ? "hy-v3" : "hy-v4";
    if (separated) return "hy-v3";
    return family === "glm45" && !onLine ? "glm47" : family;
  }

  #elementFamily(tag: Tag, call: ElementCall, lead: boolean): string {
    if (lead) return "minimax-m3";
    if (isNameChild(tag)) return this.#family("element");
    if (tag.name === "function" && call.candidate?.arguments.type === "json") return "function-eq-json";
    return (
      familyOfCall(tag) ??
      this.#family(nameOf(tag) === undefined ? "element" : (CALL_DIALECTS.get(tag.name) ?? "element"))
    );
  }
}

/** The family of a call mark whose spelling belongs to one family alone. */
export function familyOfCall(tag: Tag): string | undefined {
  if (tag.prefix === "xtml") return "kimi-k3";
  if (tag.prefix === "steptml") return "step3-steptml";
  if (tag.prefix === "xai") return "xai-xml";
  if (tag.prefix === "atem") return "muse-atem";
  if (tag.name === "use_mcp_tool") return "mcp-xml";
  if (tag.name === "__function" || tag.name === "_function") return "nova-xml";
  if (tag.name === "function" && tag.value === undefined && tag.prefix === "")
    return nameOf(tag) === undefined ? "tool-name-xml" : "minicpm5-xml";
  return undefined;
}

const CALL_DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["function", "function"],
  ["invoke", "invoke"],
]);
const WRAPS = new Set(["tool_call", "tool_calls", "function_call", "function_calls"]);
const CALL_CLOSERS = new Set(["invoke", "function", "__function", "_function", "call"]);
const RESUME = new Set([...WRAPS, ...CALL_CLOSERS, "tools", "calls", "toolcalls", ...TURN_ENDS]);
const NAME_STOPS = new StopTable("<{([\n`");
const MARK_STOPS = new StopTable("<");
const RECOVERY_STOPS = new StopTable("<[");

/** The offered tool that runs program code, if there is one. */
function codeTool(turn: Turn): string | undefined {
  return CODE_TOOLS.find((name) => turn.offered.includes(name));
}

/** Code without the fence around it. */
function withoutFence(body: string): string {
  const text = body.trim();
  if (!text.startsWith("```") || !text.endsWith("```")) return body;
  const line = text.indexOf("\n");
  return line < 0 ? body : text.slice(line + 1, -3).trimEnd();
}

function isIdentifier(text: string): boolean {
  return text.length > 0 && text.length <= 128 && !/[^\w.:/-]/.test(text);
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
}
