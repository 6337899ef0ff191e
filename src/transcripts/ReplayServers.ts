// Plays the servers of tools of one transcript: none is started and none is asked. Does not know what their tools do.
import { failure, PostelError } from "../core/failures.ts";
import type { JsonObject } from "../core/messages.ts";
import { sortedJson } from "../core/objectText.ts";
import type { Redact } from "../core/ports.ts";
import { redactJson } from "../core/redactJson.ts";
import type { PlayedServers, ServedCall, ServedEnd, ShownTool } from "../core/servedCalls.ts";
import type { RecordedServedCall } from "./RecordedServer.ts";
import type { ReplayClock } from "./ReplayClock.ts";
import type { Transcript } from "./Transcript.ts";

/**
 * Gives each call the end of the first recorded one of the same tool with the same arguments that was not played yet. Anything else is
 * a `replay_mismatch`. Recorded times are not waited for.
 */
export class ReplayServers implements PlayedServers {
  readonly #tools: ReadonlyMap<string, readonly ShownTool[]>;
  readonly #left: RecordedServedCall[];
  readonly #clock: ReplayClock | undefined;
  readonly #mismatches: string[] = [];

  constructor({ shownTools = [], servedCalls = [] }: Transcript, clock?: ReplayClock) {
    this.#tools = new Map(shownTools.toReversed().map(({ server, tools }) => [server, tools]));
    this.#left = [...servedCalls];
    this.#clock = clock;
  }

  /** What the run was shown of a server's tools when it began: none where the server was down. */
  toolsOf(server: string): readonly ShownTool[] {
    return this.#tools.get(server) ?? [];
  }

  async around(request: ServedCall): Promise<ServedEnd> {
    const at = this.#left.findIndex((one) => wordsOf(one) === wordsOf(request));
    const [recorded] = at < 0 ? [] : this.#left.splice(at, 1);
    if (!recorded) throw this.#mismatch(request);
    this.#clock?.reach(Date.parse(recorded.at) + recorded.ms);
    if (recorded.end) return recorded.end;
    throw new PostelError(failure("cancelled", `The recorded run was over before ${recorded.tool} had answered.`));
  }

  /** What was asked for and not recorded, a line each. */
  mismatches(): readonly string[] {
    return this.#mismatches;
  }

  /** What was recorded but never asked for, a line each. */
  leftovers(): readonly string[] {
    return this.#left.map((one) => `call ${one.n}: ${wordsOf(one).slice(0, MOST_SHOWN)}`);
  }

  #mismatch(request: ServedCall): PostelError {
    const [next] = this.#left;
    const asked = wordsOf(request).slice(0, MOST_SHOWN);
    const message = next
      ? `The call ${asked} is not what was recorded as call ${next.n}: ${wordsOf(next).slice(0, MOST_SHOWN)}.`
      : `The recording has no further call of a server's tool, but one more is made: ${asked}.`;
    this.#mismatches.push(message);
    return new PostelError(failure("replay_mismatch", message));
  }
}

/** What is sent is compared with what was written of it, and that was redacted. */
export function redactServed(played: PlayedServers, redact: Redact): PlayedServers {
  return {
    toolsOf: (server) => played.toolsOf(server),
    around: (call, send) =>
      // A redacted object is an object.
      played.around({ ...call, arguments: redactJson(call.arguments, redact) as JsonObject }, send),
  };
}

/** Characters of a call that a message shows. */
const MOST_SHOWN = 300;

function wordsOf({ server, tool, arguments: args }: Pick<ServedCall, "server" | "tool" | "arguments">): string {
  return `${server}.${tool} ${sortedJson(args)}`;
}
