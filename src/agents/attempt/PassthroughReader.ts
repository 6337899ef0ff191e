// One model call handed on as it came (`parse: off`): no parser, no fitting, no id but where the wire has none. Judges nothing.
import type { Extra } from "../../core/events/events.ts";
import type { Ids } from "../../core/ports.ts";
import type { CallFragment } from "../../models/response/callFragments.ts";
import { ToolCallAssembler } from "../../models/response/ToolCallAssembler.ts";
import type { AttemptEvent } from "../Agent.ts";
import type { AttemptSteps } from "./AttemptReader.ts";
import { CallIdAllocator } from "./CallIdAllocator.ts";

export class PassthroughReader {
  /** Never: nothing is counted here. */
  readonly ranAway = false;
  readonly #assembler = new ToolCallAssembler();
  /** Of no consequence here: reasoning that stands in the text stays there. */
  splitUpstream = false;
  readonly #ids: Pick<Ids, "callId">;
  readonly #ownIds: CallIdAllocator | undefined;

  /** @param usedIds present where each call must have an id of its own: those that others have */
  constructor(ids: Pick<Ids, "callId">, usedIds?: Iterable<string>) {
    this.#ids = ids;
    this.#ownIds = usedIds && new CallIdAllocator(ids, usedIds);
  }

  /** Whatever a tool was called, its call is handed on. */
  rename(): void {}

  text(text: string, extra: readonly Extra[] | undefined, ready: AttemptEvent[]): undefined {
    ready.push({ type: "text", text, extra });
  }

  fragment(fragment: CallFragment): void {
    this.#assembler.add(fragment);
  }

  *end(): AttemptSteps {
    for (const { id: wireId, name, arguments: args, extra } of this.#assembler.finish()) {
      const id = this.#ownIds?.takeAsItCame(wireId) ?? wireId ?? this.#ids.callId();
      const call = { id, name, arguments: args, origin: "native", repairs: [], raw: args, unchecked: true as const };
      yield { type: "call", call: { ...call, ...(extra && { extra }) } };
    }
  }

  /** What was unfinished is no call here either: nobody could tell it from a whole one. */
  *cut(): AttemptSteps {}
}
