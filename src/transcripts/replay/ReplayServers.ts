// Plays the tool servers of one transcript without a server.
import { createFailure, PostelError } from "../../core/failures.ts";
import { stringifySorted } from "../../core/json/jsonObjectText.ts";
import { redactJson } from "../../core/json/redactJson.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { Redact } from "../../core/ports.ts";
import type { McpCall, McpCallResult, OfferedToolDefinition, ReplayServers } from "../../core/tools/mcpCalls.ts";
import type { RecordedMcpCall } from "../format/RecordedServer.ts";
import type { Transcript } from "../format/Transcript.ts";
import type { ReplayClock } from "./ReplayClock.ts";

/**
 * Gives each call the end of the first recorded one of the same tool with the same arguments that was not played yet. Anything else is
 * a `replay_mismatch`. Recorded times are not waited for.
 */
export class TranscriptServers implements ReplayServers {
  readonly #tools: ReadonlyMap<string, readonly OfferedToolDefinition[]>;
  readonly #remaining: RecordedMcpCall[];
  readonly #clock: ReplayClock | undefined;
  readonly #mismatches: string[] = [];

  constructor({ shownTools = [], servedCalls = [] }: Transcript, clock?: ReplayClock) {
    this.#tools = new Map(shownTools.toReversed().map(({ server, tools }) => [server, tools]));
    this.#remaining = [...servedCalls];
    this.#clock = clock;
  }

  /** Returns the tools of a server that the run was shown at its start. Empty if the server was down. */
  listTools(server: string): readonly OfferedToolDefinition[] {
    return this.#tools.get(server) ?? [];
  }

  async around(request: McpCall): Promise<McpCallResult> {
    const at = this.#remaining.findIndex((one) => formatCall(one) === formatCall(request));
    const [recorded] = at < 0 ? [] : this.#remaining.splice(at, 1);
    if (!recorded) throw this.#mismatch(request);
    this.#clock?.advanceTo(Date.parse(recorded.at) + recorded.ms);
    if (recorded.end) return recorded.end;
    throw new PostelError(
      createFailure("cancelled", `The recorded run was over before ${recorded.tool} had answered.`),
    );
  }

  /** Lists calls that were requested but not recorded, one line each. */
  mismatches(): readonly string[] {
    return this.#mismatches;
  }

  /** Lists calls that were recorded but not requested, one line each. */
  leftovers(): readonly string[] {
    return this.#remaining.map((one) => `call ${one.n}: ${formatCall(one).slice(0, MOST_SHOWN)}`);
  }

  #mismatch(request: McpCall): PostelError {
    const [next] = this.#remaining;
    const asked = formatCall(request).slice(0, MOST_SHOWN);
    const message = next
      ? `The call ${asked} is not what was recorded as call ${next.n}: ${formatCall(next).slice(0, MOST_SHOWN)}.`
      : `The recording has no further call of a server's tool, but one more is made: ${asked}.`;
    this.#mismatches.push(message);
    return new PostelError(createFailure("replay_mismatch", message));
  }
}

/** Redacts the call before the comparison, since the recorded one is redacted. */
export function redactServed(played: ReplayServers, redact: Redact): ReplayServers {
  return {
    listTools: (server) => played.listTools(server),
    around: (call, send) =>
      // A redacted object is an object.
      played.around({ ...call, arguments: redactJson(call.arguments, redact) as JsonObject }, send),
  };
}

/** Characters of a call that a message shows. */
const MOST_SHOWN = 300;

function formatCall({ server, tool, arguments: args }: Pick<McpCall, "server" | "tool" | "arguments">): string {
  return `${server}.${tool} ${stringifySorted(args)}`;
}
