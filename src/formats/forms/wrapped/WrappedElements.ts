// The calls of one block that are written as tags or pairs. Knows what each becomes; elements.ts reads it.
import { UNGLUED } from "../../families/callTags.ts";
import type { Reading } from "../../text/Source.ts";
import type { Tag } from "../../text/Tag.ts";
import type { Turn } from "../../turn/Turn.ts";
import { isNameChild } from "../elements/callMarks.ts";
import { type ElementCall, readElementCall } from "../elements/taggedCall.ts";
import type { NamedBody } from "./namedBody.ts";
import type { WrappedFamilies } from "./WrappedFamilies.ts";
import type { WrappedOutcome } from "./WrappedOutcome.ts";
import type { Wrapper } from "./Wrapper.ts";
import { skipToMark } from "./wrapperEnds.ts";

interface BlockContext {
  readonly turn: Turn;
  readonly open: Wrapper;
  readonly families: WrappedFamilies;
  readonly outcome: WrappedOutcome;
}

export class WrappedElements {
  readonly #context: BlockContext;

  constructor(context: BlockContext) {
    this.#context = context;
  }

  /** Reads a call whose own mark has been consumed, or whose name's element stands at the cursor. `lead`: the lead token came first. */
  *read(tag: Tag, lead = false): Reading<void> {
    const { turn, open, families } = this.#context;
    const call = yield* readElementCall(turn, {
      tag: isNameChild(tag) ? open.tag : tag,
      lead: lead || open.lead === true,
      unglued: open.tag !== undefined && UNGLUED.has(open.tag.prefix),
    });
    yield* this.#settle(call, families.ofElement(tag, call, lead));
  }

  /** Reads the pairs behind a name; true where the block is over with them. */
  *readPairs({ name, separated, onLine }: Extract<NamedBody, { type: "pairs" }>): Reading<boolean> {
    const call = yield* readElementCall(this.#context.turn, { name, lead: false });
    yield* this.#settle(call, this.#context.families.ofPairs(separated, onLine));
    return call.end !== "broken";
  }

  /** Emits what a call became. */
  *#settle(call: ElementCall, family: string): Reading<void> {
    const { turn, open, outcome } = this.#context;
    const { source, options } = turn;
    if (call.candidate && (call.end === "closed" || call.end === "implied")) {
      outcome.calls([call.candidate], family);
    } else if (call.end === "cut") {
      outcome.cut(family);
    } else if (source.offset - source.heldFrom >= options.captureChars) {
      outcome.overlong(family);
    } else {
      yield* skipToMark(turn, open.row);
      outcome.malformed("This tool call cannot be read: its name or its parameters are missing or misplaced.", family);
    }
  }
}
