// The header of a framed message: role, recipient and channel, in all the orders in which they are written. Reads no body.

import { LESS_THAN } from "../../text/codes.ts";
import { END, type Reading } from "../../text/Source.ts";
import { readTag, type Tag } from "../../text/Tag.ts";
import { peek } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import type { Turn } from "../../turn/Turn.ts";

/** Characters of a header; a longer one is no header. */
export const HEADER_LIMIT = 512;
const FRAME_NAMES = new Set([
  "|start|",
  "|channel|",
  "|message|",
  "|constrain|",
  "|end|",
  "|call|",
  "|return|",
  "|eom|",
  "|eot|",
]);

export interface FrameHeader {
  readonly role: string;
  readonly recipient: string | undefined;
  readonly channel: string;
}

/** The names of the marks that frame messages. */
export const isFrame = (name: string): boolean => FRAME_NAMES.has(name);

/** True for marks that begin a framed message. */
export function opensFrame(tag: Tag): boolean {
  return tag.name === "|start|" || tag.name === "|channel|" || tag.name === "|message|";
}

/** Reads to and with `<|message|>`; undefined where the text ends first, `none` where no header can be made of it. */
export function* readFrameHeader(turn: Turn): Reading<FrameHeader | "none" | undefined> {
  return yield* new HeaderReader(turn).read();
}

class HeaderReader {
  readonly #turn: Turn;
  readonly #from: number;
  #part: "role" | "channel" | "type" = "role";
  /** What has been read of the part. */
  #text = "";
  #role = "";
  #channel = "";
  #recipient: string | undefined;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#from = turn.source.offset;
  }

  *read(): Reading<FrameHeader | "none" | undefined> {
    const { source } = this.#turn;
    for (;;) {
      const code = yield* peek(source);
      if (code === END && this.#turn.finish === "cut") return undefined;
      if (code === END || source.offset - this.#from > HEADER_LIMIT)
        return this.#withoutMark() ?? (code === END ? undefined : "none");
      const tag = code === LESS_THAN ? yield* readTag(source, isFrame) : undefined;
      if (!tag) {
        this.#text += isBlank(code) ? " " : source.ahead(1);
        source.skip(1);
        continue;
      }
      const header = this.#mark(tag);
      if (header) return header;
      source.skip(tag.raw.length);
    }
  }

  /** Undefined where the header goes on behind the mark. */
  #mark(tag: Tag): FrameHeader | "none" | undefined {
    const { source } = this.#turn;
    switch (tag.name) {
      case "|channel|": {
        const stray = this.#part === "channel" && this.#recipient === "assistant";
        this.#closePart();
        if (stray || this.#recipient === "assistant") this.#recipient = undefined;
        this.#part = "channel";
        return undefined;
      }
      case "|constrain|":
        this.#closePart();
        this.#part = "type";
        return undefined;
      case "|message|":
        this.#closePart();
        source.skip(tag.raw.length);
        return { role: this.#role, recipient: this.#recipient, channel: this.#channel };
      case "|start|":
        this.#closePart();
        this.#part = "role";
        return this.#channel !== "" || this.#recipient !== undefined ? "none" : undefined;
      default: {
        const header = this.#withoutMark();
        if (!header) source.skip(tag.raw.length);
        return header ?? "none";
      }
    }
  }

  #closePart(): void {
    const to = /(?:^|\s)to=([^\s<]+)/.exec(this.#text);
    this.#recipient = to?.[1] ?? this.#recipient;
    const rest = this.#text.replace(/(?:^|\s)to=[^\s<]+/, " ").trim();
    if (this.#part === "role") this.#role = rest;
    else if (this.#part === "channel") this.#channel = rest.split(/\s/)[0] ?? "";
    this.#text = "";
  }

  /** A channel's header whose message mark is missing: `final {"a": 1}`. The cursor goes back to where the body begins. */
  #withoutMark(): FrameHeader | undefined {
    if (this.#part !== "channel") return undefined;
    const text = this.#text;
    const to = /\sto=([^\s<{]+)/.exec(text);
    const recipient = to?.[1] ?? this.#recipient;
    const word = /^\s*(\w+)\s*/.exec(text);
    const bodyAt = recipient === undefined ? word?.[0].length : text.indexOf("{", to?.index);
    if (!word?.[1] || bodyAt === undefined || bodyAt < 0 || text.slice(bodyAt).trim() === "") return undefined;
    const { source } = this.#turn;
    source.back(source.offset - text.length + bodyAt);
    return { role: "", recipient, channel: word[1] };
  }
}
