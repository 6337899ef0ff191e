// One call written as tags: a name, then parameters as raw text between marks (XML-like, key/value pairs, `<|open|>` elements).
// Reads where each piece lies; what the values mean is the schema's word, in fitCall.
import type { Argument, CallCandidate } from "../CallCandidate.ts";
import { decodeElements } from "../decodeElements.ts";
import { decodeJson } from "../decodeJson.ts";
import { END, type Reading, StopTable, WAIT } from "../Source.ts";
import { scanBalanced } from "../scanBalanced.ts";
import { peek, readTag, startsWith, type Tag } from "../Tag.ts";
import { isBlank } from "../TextSink.ts";
import { skipBlanks, type Turn } from "../Turn.ts";

/** The token that precedes every structural tag of one family, so that plain `<` in values is data. */
export const LEAD = "]<]minimax[>[";

const PARAMETER_NAMES = new Set(["parameter", "param", "__parameter", "_parameter", "argument", "arg"]);
const NAME_CHILDREN = new Set(["name", "tool_name", "function_name"]);
const ARGUMENT_CHILDREN = new Set(["arguments", "parameters", "args", "params", "input", "tool_input", "action_input"]);
const CALL_NAMES = new Set(["function", "__function", "_function", "invoke", "call"]);
const WRAPPER_NAMES = new Set([
  "tool_call",
  "tool_calls",
  "function_call",
  "function_calls",
  "toolcalls",
  "calls",
  "tools",
  "dots_function_call",
  "iquestcoder_tool_call",
  "use_mcp_tool",
  "action",
  "|tool_call:start|",
  "|tool_call:end|",
  "|tool_call_end|",
  "|tool_calls_end|",
]);
const PAIR_NAMES = new Set([
  "arg_key",
  "arg_value",
  "arg_type",
  "tool_sep",
  "|tool_arg:start|",
  "|tool_arg:value|",
  "|tool_arg:end|",
]);
const TURN_ENDS = new Set([
  "|im_end|",
  "|eot_id|",
  "|eom_id|",
  "|endoftext|",
  "|end_of_text|",
  "|end_of_sentence|",
  "|end_of_msg|",
  "|eom|",
  "|eot|",
]);

/** How a call ended. `implied`: another mark made its end plain, and the cursor stands before that mark. */
export type CallEnd = "closed" | "implied" | "cut" | "broken";

export interface ElementCall {
  readonly end: CallEnd;
  /** Absent where no name was found. */
  readonly candidate?: CallCandidate | undefined;
}

interface Piece {
  readonly key?: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly form: Argument["form"] | "element";
  /** One newline on either side belongs to the template. */
  readonly glued: boolean;
}

/** True for a mark that opens one call with its name in it, or one whose children name it. */
export function opensCall(tag: Tag): boolean {
  if (tag.closing) return false;
  if (CALL_NAMES.has(tag.name)) return true;
  return nameOf(tag) !== undefined && (WRAPPER_NAMES.has(tag.name) || tag.name === "tool" || tag.name === "tool_use");
}

/** The call's name as its opening mark gives it. */
export function nameOf(tag: Tag): string | undefined {
  return tag.value ?? tag.attributes.get("name") ?? tag.attributes.get("tool") ?? tag.attributes.get("function");
}

export const isPairTag = (tag: Tag): boolean => PAIR_NAMES.has(tag.name);
export const isNameChild = (tag: Tag): boolean => !tag.closing && NAME_CHILDREN.has(tag.name);

/** Reads one call whose opening mark has been consumed, up to and with the mark that ends it. */
export function* readElementCall(
  turn: Turn,
  open: { readonly tag?: Tag | undefined; readonly name?: string | undefined; readonly lead: boolean },
): Reading<ElementCall> {
  return yield* new ElementReader(turn, open).read();
}

class ElementReader {
  readonly #turn: Turn;
  readonly #tag: Tag | undefined;
  readonly #lead: boolean;
  readonly #pieces: Piece[] = [];
  readonly #keys = new Set<string>();
  #name: string | undefined;
  #server: { from: number; to: number } | undefined;
  #namePiece: { from: number; to: number } | undefined;
  #json: { from: number; to: number } | undefined;
  #text: { from: number; to: number } | undefined;
  /** Set by a value whose own closing mark was missing: what ended it. */
  #ended: CallEnd | undefined;

  constructor(
    turn: Turn,
    open: { readonly tag?: Tag | undefined; readonly name?: string | undefined; readonly lead: boolean },
  ) {
    this.#turn = turn;
    this.#tag = open.tag;
    this.#lead = open.lead;
    this.#name = open.name ?? (open.tag && nameOf(open.tag));
  }

  *read(): Reading<ElementCall> {
    const attribute = this.#tag?.attributes.get("arguments") ?? this.#tag?.attributes.get("input");
    if (this.#tag?.selfClosing) return this.#result("closed", attribute);
    const end = yield* this.#children();
    return this.#result(end, attribute);
  }

  *#children(): Reading<CallEnd> {
    const source = this.#turn.source;
    for (;;) {
      const code = yield* skipBlanks(source);
      if (code === END) return "cut";
      if (source.offset - source.heldFrom > this.#turn.options.captureChars) return "broken";
      if (code === 123 && this.#pieces.length === 0) {
        const from = source.offset;
        const scan = yield* scanBalanced(source, this.#until());
        if (scan === "cut") return "cut";
        if (scan !== "balanced") return "broken";
        this.#json = { from, to: source.offset };
        continue;
      }
      const tag = yield* this.#tagAt();
      if (!tag) {
        const elided = yield* this.#elidedOpener();
        if (elided) continue;
        return "broken";
      }
      const end = yield* this.#child(tag);
      if (end) return end;
      if (this.#ended) return this.#ended;
    }
  }

  /** Handles one child mark; returns how the call ended, if it did. The cursor stands before the mark. */
  *#child(tag: Tag): Reading<CallEnd | undefined> {
    const source = this.#turn.source;
    if (this.#closesCall(tag)) {
      source.skip(tag.raw.length);
      return "closed";
    }
    if (tag.closing && !WRAPPER_NAMES.has(tag.name)) {
      source.skip(tag.raw.length);
      return undefined;
    }
    if (WRAPPER_NAMES.has(tag.name) || CALL_NAMES.has(tag.name) || TURN_ENDS.has(tag.name)) return "implied";
    source.skip(tag.raw.length);
    if (tag.name === "tool_sep") return undefined;
    if (tag.name === "arg_key" || tag.name === "|tool_arg:start|") return yield* this.#pair(tag);
    if (tag.name === "server_name") return yield* this.#span(tag, (span) => (this.#server = span));
    if (NAME_CHILDREN.has(tag.name) && this.#name === undefined && this.#namePiece === undefined) {
      return yield* this.#span(tag, (span) => (this.#namePiece = span));
    }
    if (tag.prefix === "xtml" && tag.name === "json") {
      return yield* this.#span(tag, (span) => (this.#json = span));
    }
    if (ARGUMENT_CHILDREN.has(tag.name) && tag.value === undefined && tag.attributes.size === 0)
      return yield* this.#container(tag);
    return yield* this.#parameter(tag);
  }

  #closesCall(tag: Tag): boolean {
    if (!tag.closing) return tag.name === "|tool_call:end|" && this.#tag === undefined;
    if (this.#tag === undefined) return false;
    return tag.name === this.#tag.name || (CALL_NAMES.has(tag.name) && CALL_NAMES.has(this.#tag.name));
  }

  /** `<parameter=K>`, `<parameter name="K">`, or an element named after its key. */
  *#parameter(tag: Tag): Reading<CallEnd | undefined> {
    const given = tag.value ?? tag.attributes.get("name") ?? tag.attributes.get("key") ?? tag.attributes.get("k");
    const named = PARAMETER_NAMES.has(tag.name) && given !== undefined;
    const key = named && given !== undefined ? given : tag.name;
    if (tag.selfClosing) {
      const at = this.#turn.source.offset;
      this.#add({ key, from: at, to: at, form: "raw", glued: false });
      return undefined;
    }
    const form = named ? formOf(tag) : "element";
    const glued = tag.value !== undefined || !named;
    return yield* this.#span(tag, (span) => this.#add({ key, ...span, form, glued }));
  }

  /** `<arg_key>K</arg_key><arg_value>V</arg_value>` and its cousins; either inner closer may be missing. */
  *#pair(tag: Tag): Reading<CallEnd | undefined> {
    const source = this.#turn.source;
    const bars = tag.name === "|tool_arg:start|";
    const from = source.offset;
    let form: Argument["form"] = "raw";
    while (source.code() !== END && source.code() !== 60) {
      if (source.code() === WAIT) yield;
      else source.skip(1);
      if (source.offset - from > 256) return "broken";
    }
    const key = source
      .peekHeld()
      .slice(from - source.heldFrom)
      .trim();
    for (;;) {
      const code = yield* skipBlanks(source);
      if (code === END) return "cut";
      const next = code === 60 ? yield* readTag(source, KNOWN_PAIR) : undefined;
      if (next?.name === "arg_value" || next?.name === "|tool_arg:value|") {
        if (next.closing) return "broken";
        source.skip(next.raw.length);
        return yield* this.#span(next, (span) => this.#add({ key, ...span, form, glued: false }));
      }
      if (next?.name === "arg_key" && next.closing) {
        source.skip(next.raw.length);
        continue;
      }
      if (next?.name === "arg_type") {
        source.skip(next.raw.length);
        const typeFrom = source.offset;
        const ended = yield* this.#span(next, () => undefined);
        if (ended) return ended;
        const type = source
          .peekHeld()
          .slice(typeFrom - source.heldFrom)
          .trim();
        if (type.startsWith("string<") || type.startsWith("str<")) form = "string";
        continue;
      }
      if (bars || next) return "broken";
      const unopened: Tag = { ...tag, name: "arg_value", raw: "", closing: false };
      return yield* this.#span(unopened, (span) => this.#add({ key, ...span, form, glued: false }));
    }
  }

  /** `<arguments>…</arguments>`: JSON, elements, or the text of a single parameter. */
  *#container(tag: Tag): Reading<CallEnd | undefined> {
    const source = this.#turn.source;
    const code = yield* skipBlanks(source);
    if (code === 123) {
      const from = source.offset;
      const scan = yield* scanBalanced(source, this.#until());
      if (scan === "cut") return "cut";
      if (scan !== "balanced") return "broken";
      this.#json = { from, to: source.offset };
      return undefined;
    }
    if (code === 60) {
      const child = yield* this.#tagAt();
      const known = this.#name === undefined ? [] : this.#turn.parameters(this.#turn.resolve(this.#name) ?? "");
      if (child && !child.closing && (PARAMETER_NAMES.has(child.name) || known.includes(child.name))) return undefined;
      return yield* this.#span(tag, (span) => this.#add({ ...span, form: "element", glued: true }));
    }
    return yield* this.#span(tag, (span) => {
      this.#text = span;
    });
  }

  #add(piece: Piece): void {
    this.#pieces.push(piece);
    if (piece.key !== undefined) this.#keys.add(piece.key);
  }

  /**
   * Reads raw text up to the mark that ends it. A closing mark ends the value only where a sibling, the parent's close or the end
   * follows, so that the same mark inside a value stays data; a missing closer is implied by what can only stand behind it.
   */
  *#span(open: Tag, keep: (span: { from: number; to: number }) => void): Reading<CallEnd | undefined> {
    const source = this.#turn.source;
    const from = source.offset;
    let newline = false;
    for (;;) {
      if (source.offset >= this.#until()) return "broken";
      const code = source.code();
      if (code === WAIT) {
        yield;
        continue;
      }
      if (code === END) return "cut";
      if (code === 10) {
        newline = true;
        source.skip(1);
        continue;
      }
      if (code === (this.#lead ? 93 : 60)) {
        const to = source.offset;
        if (code === 60 && (yield* startsWith(source, "<![CDATA["))) {
          if (!(yield* this.#cdata())) return "cut";
          newline = false;
          continue;
        }
        const tag = yield* this.#tagAt(open.name);
        const verdict = tag ? yield* this.#judge(tag, { open, newline }) : undefined;
        if (verdict) {
          keep({ from, to });
          return verdict === "value" ? undefined : verdict;
        }
        if (source.offset === to) source.skip(1);
        newline = false;
        continue;
      }
      if (isBlank(code)) {
        source.skip(1);
        continue;
      }
      newline = false;
      source.advance(this.#lead ? VALUE_LEAD : VALUE, this.#until());
    }
  }

  /** Whether the mark before the cursor ends the value; if so the cursor is moved behind what belongs to that end. */
  *#judge(tag: Tag, value: { readonly open: Tag; readonly newline: boolean }): Reading<"value" | CallEnd | undefined> {
    const source = this.#turn.source;
    const closesValue = tag.closing ? sameElement(tag, value.open) : CLOSES_PAIR.get(value.open.name) === tag.name;
    if (closesValue) {
      source.skip(tag.raw.length);
      return (yield* this.#structureFollows()) ? "value" : undefined;
    }
    if (!this.#canEndUnclosed(value.open)) return undefined;
    if (tag.closing && this.#closesCall(tag)) {
      source.skip(tag.raw.length);
      if (!(yield* this.#wrapperFollows())) return undefined;
      this.#ended = "closed";
      return "value";
    }
    if ((tag.closing && WRAPPER_NAMES.has(tag.name)) || tag.name === "|tool_call:end|") {
      const mark = source.offset;
      let ahead = tag.raw.length;
      while (isBlank(yield* peek(source, ahead))) ahead += 1;
      const behind = yield* peek(source, ahead);
      const opener = behind === 60 ? yield* readTag(source, KNOWN_OUTSIDE, ahead) : undefined;
      if (behind !== END && !(opener && (TURN_ENDS.has(opener.name) || WRAPPER_NAMES.has(opener.name))))
        return undefined;
      if (source.offset !== mark) return undefined;
      if (this.#tag === undefined && !this.#lead) {
        source.skip(tag.raw.length);
        this.#ended = "closed";
        return "value";
      }
      this.#ended = "implied";
      return "value";
    }
    return (yield* this.#isSibling(tag, value)) ? "value" : undefined;
  }

  /** A value that names something must be closed by its own mark. */
  #canEndUnclosed(open: Tag): boolean {
    return !NAME_CHILDREN.has(open.name) && open.name !== "server_name" && open.name !== "arg_type";
  }

  /** A parameter opener inside a value: the value's closer was forgotten, if a template could have written it here. */
  *#isSibling(tag: Tag, value: { readonly open: Tag; readonly newline: boolean }): Reading<boolean> {
    if (tag.closing || tag.prefix !== value.open.prefix) return false;
    if (value.open.name === "arg_value" && tag.name === "arg_key") {
      const source = this.#turn.source;
      let ahead = tag.raw.length;
      for (;;) {
        const code = yield* peek(source, ahead);
        if (code === 60) return yield* startsWith(source, "</arg_key", ahead);
        if (code === END || ahead > 256) return false;
        ahead += 1;
      }
    }
    if (value.open.name === "|tool_arg:value|" && tag.name === "|tool_arg:start|") return true;
    if (tag.name !== value.open.name || !PARAMETER_NAMES.has(tag.name)) return false;
    const key = tag.value ?? tag.attributes.get("name") ?? tag.attributes.get("key");
    if (key === undefined || this.#keys.has(key)) return false;
    const known = this.#turn.parameters(this.#turn.resolve(this.#name ?? "") ?? "");
    return value.newline ? known.length === 0 || known.includes(key) : false;
  }

  /** After a closing mark: does a sibling, a parent's close, another call or the end follow? */
  *#structureFollows(): Reading<boolean> {
    const source = this.#turn.source;
    const code = yield* skipBlanks(source);
    if (code === END || code === 44) return true;
    if (this.#lead) return yield* startsWith(source, LEAD);
    if (code !== 60) return false;
    const tag = yield* readTag(source, ANY_NAME);
    if (!tag) return false;
    if (TURN_ENDS.has(tag.name) || WRAPPER_NAMES.has(tag.name) || CALL_NAMES.has(tag.name) || PAIR_NAMES.has(tag.name))
      return true;
    if (
      PARAMETER_NAMES.has(tag.name) ||
      ARGUMENT_CHILDREN.has(tag.name) ||
      NAME_CHILDREN.has(tag.name) ||
      tag.name === "server_name"
    )
      return true;
    if (tag.prefix === "xtml" || tag.name.startsWith("|")) return true;
    if (this.#tag && tag.name === this.#tag.name) return true;
    return !tag.closing && this.#usesElements();
  }

  *#wrapperFollows(): Reading<boolean> {
    const source = this.#turn.source;
    const code = yield* skipBlanks(source);
    if (code === END) return true;
    const tag = code === 60 ? yield* readTag(source, KNOWN_OUTSIDE) : undefined;
    return tag !== undefined;
  }

  /** Parameters are elements named after their keys, as long as none was written otherwise. */
  #usesElements(): boolean {
    return this.#pieces.every((piece) => piece.form === "element");
  }

  /** A first parameter whose opener the model left out: text behind the lead token, named by its closer. */
  *#elidedOpener(): Reading<boolean> {
    const source = this.#turn.source;
    if (!this.#lead || !(yield* startsWith(source, LEAD)) || (yield* peek(source, LEAD.length)) === 60) return false;
    source.skip(LEAD.length);
    const from = source.offset;
    for (;;) {
      source.advance(VALUE_LEAD, this.#until());
      if (source.offset >= this.#until()) return false;
      const code = source.code();
      if (code === WAIT) {
        yield;
        continue;
      }
      if (code === END) return false;
      const tag = code === 93 ? yield* this.#tagAt() : undefined;
      if (tag?.closing) {
        this.#add({ key: tag.name, from, to: source.offset, form: "raw", glued: false });
        source.skip(tag.raw.length);
        return true;
      }
      source.skip(1);
    }
  }

  /** The mark at the cursor, with its lead where the family writes one. `key` names the element that is being read. */
  *#tagAt(key?: string): Reading<Tag | undefined> {
    const source = this.#turn.source;
    const known =
      key === undefined ? ANY_NAME : (name: string, prefix: string) => name === key || KNOWN_INSIDE(name, prefix);
    if (!this.#lead) return (yield* peek(source)) === 60 ? yield* readTag(source, known) : undefined;
    if (!(yield* startsWith(source, LEAD)) || (yield* peek(source, LEAD.length)) !== 60) return undefined;
    const tag = yield* readTag(source, ANY_NAME, LEAD.length);
    return tag && { ...tag, raw: LEAD + tag.raw };
  }

  *#cdata(): Reading<boolean> {
    const source = this.#turn.source;
    for (;;) {
      const code = yield* peek(source);
      if (code === END || source.offset >= this.#until()) return false;
      if (code === 93 && (yield* startsWith(source, "]]>"))) {
        source.skip(3);
        return true;
      }
      source.skip(1);
    }
  }

  #until(): number {
    return this.#turn.source.heldFrom + this.#turn.options.captureChars;
  }

  #result(end: CallEnd, attribute: string | undefined): ElementCall {
    const source = this.#turn.source;
    const text = source.peekHeld();
    const start = source.heldFrom;
    const slice = (span: { from: number; to: number }) => text.slice(span.from - start, span.to - start);
    const plain = this.#name ?? (this.#namePiece && slice(this.#namePiece).trim());
    if (plain === undefined || plain === "") return { end };
    const name = this.#server ? this.#serverName(slice(this.#server).trim(), plain) : plain;
    const repairs = new Set<string>();
    if (this.#json ?? attribute) {
      const body = this.#json ? slice(this.#json) : (attribute ?? "");
      const decoded = decodeJson(body);
      if (!decoded) return { end: end === "cut" ? "cut" : "broken" };
      return { end, candidate: { name, arguments: { type: "json", text: decoded.text }, repairs: decoded.repairs } };
    }
    if (this.#pieces.length === 0 && this.#text) {
      return { end, candidate: { name, arguments: { type: "text", text: slice(this.#text).trim() }, repairs: [] } };
    }
    const tool = this.#turn.resolve(name);
    const list = this.#pieces.flatMap((piece) =>
      readPiece(piece, slice(piece), { repairs, accepts: (key) => this.#acceptsContainer(tool, key) }),
    );
    return { end, candidate: { name, arguments: { type: "list", list }, repairs: [...repairs] } };
  }

  #serverName(server: string, tool: string): string {
    const spellings = [tool, `${server}__${tool}`, `mcp__${server}__${tool}`, `${server}.${tool}`];
    return spellings.find((name) => this.#turn.offered.includes(name)) ?? tool;
  }

  /** Whether the schema gives this key a structure that elements could spell out. */
  #acceptsContainer(tool: string | undefined, key: string | undefined): boolean {
    if (key === undefined) return true;
    const properties = this.#turn.options.tools.find((one) => one.name === tool)?.parameters?.properties;
    if (typeof properties !== "object" || properties === null || !(key in properties)) return false;
    const schema = JSON.stringify((properties as Readonly<Record<string, unknown>>)[key]);
    return schema.includes('"object"') || schema.includes('"array"') || schema.includes('"$ref"');
  }
}

const VALUE = new StopTable("<\n");
const VALUE_LEAD = new StopTable("]\n");
const ANY_NAME = (): boolean => true;
const KNOWN_PAIR = (name: string): boolean => PAIR_NAMES.has(name);
const KNOWN_OUTSIDE = (name: string, prefix: string): boolean =>
  name === "" || WRAPPER_NAMES.has(name) || CALL_NAMES.has(name) || TURN_ENDS.has(name) || prefix === "xtml";
const KNOWN_INSIDE = (name: string, prefix: string): boolean =>
  KNOWN_OUTSIDE(name, prefix) ||
  PARAMETER_NAMES.has(name) ||
  PAIR_NAMES.has(name) ||
  name === "tool" ||
  name === "tool_use";
const CLOSES_PAIR: ReadonlyMap<string, string> = new Map([["|tool_arg:value|", "|tool_arg:end|"]]);

function sameElement(close: Tag, open: Tag): boolean {
  return (
    close.name === open.name && (close.prefix === open.prefix || close.prefix === "") && close.suffix === open.suffix
  );
}

/** The type that the wire gives a value: a `string="true|false"` flag or a `type` attribute. */
function formOf(tag: Tag): Argument["form"] {
  const flag = tag.attributes.get("string");
  if (flag !== undefined) return flag === "true" ? "string" : "json";
  const type = tag.prefix === "xtml" ? tag.attributes.get("type") : undefined;
  if (type !== undefined) return type === "string" ? "string" : "json";
  return "raw";
}

function readPiece(
  piece: Piece,
  text: string,
  context: { readonly repairs: Set<string>; readonly accepts: (key: string | undefined) => boolean },
): readonly Argument[] {
  const value = uncover(piece.glued ? trimGlue(text) : text);
  if (piece.form === "element") {
    const trimmed = value.trim();
    if (trimmed.startsWith("<") && trimmed.endsWith(">") && context.accepts(piece.key)) {
      const members = decodeElements(trimmed);
      if (members && piece.key === undefined)
        return members.map(([key, json]) => ({ key, value: json, form: "json" as const }));
      if (members) {
        const body = members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",");
        const items = members.every(([key]) => key === "item") ? members[0]?.[1] : undefined;
        return [
          { key: piece.key, value: items ? (items.startsWith("[") ? items : `[${items}]`) : `{${body}}`, form: "json" },
        ];
      }
    }
    if (piece.key === undefined) return [{ value, form: "raw" }];
    return [{ key: piece.key, value: decodeLeaf(value), form: "raw" }];
  }
  if (piece.form === "json") {
    const decoded = decodeJson(value);
    for (const repair of decoded?.repairs ?? []) context.repairs.add(repair);
    return [decoded ? { key: piece.key, value: decoded.text, form: "json" } : { key: piece.key, value, form: "raw" }];
  }
  return [{ key: piece.key, value, form: piece.form }];
}

/** Element leaves are XML: entities are decoded, once, unless the text holds raw marks and so was never encoded. */
function decodeLeaf(value: string): string {
  if (!value.includes("&") || value.includes("<")) return value;
  const member = decodeElements(`<v>${value}</v>`)?.[0]?.[1];
  return member?.startsWith('"') ? String(JSON.parse(member)) : value;
}

/** A template that writes a value on lines of its own writes both newlines: one on either side is glue, a single one is data. */
function trimGlue(text: string): string {
  const from = text.startsWith("\r\n") ? 2 : text.startsWith("\n") ? 1 : 0;
  const to = text.endsWith("\r\n") ? 2 : text.endsWith("\n") ? 1 : 0;
  if (from === 0 || to === 0) return text;
  return text.length < from + to ? "" : text.slice(from, text.length - to);
}

/** A value that is wholly a CDATA section is its content. */
function uncover(value: string): string {
  const trimmed = value.trim();
  const whole = trimmed.startsWith("<![CDATA[") && trimmed.indexOf("]]>") === trimmed.length - 3;
  return whole ? trimmed.slice("<![CDATA[".length, -"]]>".length) : value;
}
