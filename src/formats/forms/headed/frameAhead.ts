// Whether framed messages begin at the cursor: looks at their header before it is read. Moves nothing.

import { LESS_THAN, NEWLINE, OPEN_BRACE } from "../../text/codes.ts";
import { END, type Reading, type Source } from "../../text/Source.ts";
import { readTag } from "../../text/Tag.ts";
import { aheadWhile, peek } from "../../text/waiting.ts";
import { isBlank } from "../../text/whiteSpace.ts";
import type { Turn } from "../../turn/Turn.ts";
import { HEADER_LIMIT, isFrame } from "./frameHeader.ts";

/** The channels of the one wire that has them: a header that names another is an example's. */
const CHANNELS: ReadonlySet<string> = new Set(["analysis", "commentary", "final"]);

/**
 * Believed: every header where a message of the model's own wire may begin (`mayBegin`), and elsewhere in its text one that names a channel or a recipient; from
 * any other model such a one as the first thing of the turn, or one that calls an offered tool and has arguments behind it.
 */
export function* framesBegin(turn: Turn, mayBegin: boolean): Reading<boolean> {
  const isOwn = turn.wire?.channels === true;
  if (isOwn && mayBegin) return true;
  const header = yield* headerAhead(turn.source);
  if (!header) return false;
  const { channel, recipient } = header;
  const isNamed = recipient !== undefined || CHANNELS.has(channel);
  if (isNamed && (isOwn || turn.isUntouched)) return true;
  const calls = turn.offered.length > 0 && recipient !== undefined && turn.resolve(recipient) !== undefined;
  return calls && (header.body === OPEN_BRACE || header.body === LESS_THAN);
}

interface HeaderAhead {
  readonly channel: string;
  readonly recipient: string | undefined;
  /** The first visible character of the message. */
  readonly body: number;
}

/** The header at the cursor, if it is whole: one line of words and marks up to and with the mark of the message. */
function* headerAhead(source: Source): Reading<HeaderAhead | undefined> {
  let ahead = 0;
  let part = "";
  let text = "";
  let channel = "";
  let recipient: string | undefined;
  while (ahead < HEADER_LIMIT) {
    const code = yield* peek(source, ahead);
    if (code === END || code === NEWLINE) return undefined;
    if (code !== LESS_THAN) {
      text += String.fromCharCode(code);
      ahead += 1;
      continue;
    }
    const tag = yield* readTag(source, isFrame, ahead);
    if (!tag) return undefined;
    recipient = /(?:^|\s)to=([^\s<]+)/.exec(text)?.[1] ?? recipient;
    if (part === "|channel|") channel = /\w*/.exec(text.trim())?.[0] ?? "";
    text = "";
    part = tag.name;
    ahead += tag.raw.length;
    if (part === "|message|") return { channel, recipient, body: yield* visibleAt(source, ahead) };
    if (part !== "|start|" && part !== "|channel|" && part !== "|constrain|") return undefined;
  }
  return undefined;
}

function* visibleAt(source: Source, from: number): Reading<number> {
  return yield* peek(source, yield* aheadWhile(source, isBlank, from, HEADER_LIMIT));
}
