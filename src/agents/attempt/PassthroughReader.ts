// Passes the output of one model call on unchanged (`parse: off`). Only adds ids to calls that have none.
import type { Extra } from "../../core/events/events.ts";
import type { Ids } from "../../core/ports.ts";
import type { CallFragment } from "../../models/response/callFragments.ts";
import { ToolCallAssembler } from "../../models/response/ToolCallAssembler.ts";
import type { AttemptEvent } from "../Agent.ts";
import type { AttemptSteps } from "./AttemptReader.ts";
import { CallIdAllocator } from "./CallIdAllocator.ts";

export class PassthroughReader {
  /** Always false: calls are not counted here. */
  readonly ranAway = false;
  readonly #assembler = new ToolCallAssembler();
  /** Ignored: reasoning in the text stays there. */
  splitUpstream = false;
  readonly #ids: Pick<Ids, "callId">;
  readonly #ownIds: CallIdAllocator | undefined;

  /** @param usedIds ids in use; present if each call needs a unique id */
  constructor(ids: Pick<Ids, "callId">, usedIds?: Iterable<string>) {
    this.#ids = ids;
    this.#ownIds = usedIds && new CallIdAllocator(ids, usedIds);
  }

  /** Does nothing: a call is passed on whatever its tool name is. */
  rename(): void {}

  text(text: string, extra: readonly Extra[] | undefined, ready: AttemptEvent[]): undefined {
    ready.push({ type: "text", text, extra });
  }

  fragment(fragment: CallFragment): void {
    this.#assembler.add(fragment);
  }

  *end(): AttemptSteps {
    for (const { id: wireId, name, arguments: args, extra } of this.#assembler.finish()) {
      const id = this.#ownIds?.allocateUnchanged(wireId) ?? wireId ?? this.#ids.callId();
      const call = { id, name, arguments: args, origin: "native", repairs: [], raw: args, unchecked: true as const };
      yield { type: "call", call: { ...call, ...(extra && { extra }) } };
    }
  }

  /** An incomplete call is dropped, because the client could not tell it from a complete one. */
  *endCut(): AttemptSteps {}
}
