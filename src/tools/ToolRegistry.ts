// The tools of this gateway by name, as their sources list them. Refuses duplicate names, and names that models do not
// accept.
import type { DangerPolicy } from "../core/config/componentActions.ts";
import { createFailure, PostelError } from "../core/failures.ts";
import { READ_RESULT } from "../core/runs/resultLimits.ts";
import type { Tool } from "./Tool.ts";
import type { ToolSource } from "./ToolSource.ts";

const LEGAL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;

/** Tools that a server offers at this moment. */
export interface ServerOffer {
  readonly tools: readonly Tool[];
  /** See `ToolSource.outage`. */
  readonly outage?: string | undefined;
}

/** Has no tools until it is refreshed. */
export class ToolRegistry {
  /** Default of the `danger` policy for tools without one. */
  readonly danger: DangerPolicy;
  readonly #sources: readonly ToolSource[];
  /** Accepted tools of each source. */
  readonly #taken = new Map<ToolSource, readonly Tool[]>();
  #tools: ReadonlyMap<string, Tool> = new Map();

  constructor(sources: readonly ToolSource[], danger: DangerPolicy = "on") {
    this.danger = danger;
    this.#sources = sources;
  }

  /**
   * Lists the sources that have changed or were never listed, in parallel. A source that fails keeps its previous tools.
   * @throws PostelError of the first such source, `invalid_configuration` for clashing and illegal names; the others are
   * refreshed.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    const faults: unknown[] = [];
    const due = this.#sources.filter((source) => !this.#taken.has(source) || source.hasChanged);
    const lists = await Promise.allSettled(due.map((source) => source.list(signal)));
    for (const [at, source] of due.entries()) {
      const listed = lists[at];
      try {
        if (listed?.status === "fulfilled") this.#take(source, listed.value);
        else faults.push(listed?.reason);
      } catch (fault) {
        faults.push(fault);
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  /** Every server with its present tools. */
  servers(): readonly (ServerOffer & { readonly server: string })[] {
    const ids = this.#sources.flatMap(({ server }) => server ?? []);
    return ids.map((server) => ({ server, ...this.offeredBy(server) }));
  }

  /** Closes the sources; they list nothing afterwards. */
  async close(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.close?.()));
  }

  #take(source: ToolSource, listed: readonly Tool[]): void {
    const lists = this.#sources.map((one) => (one === source ? listed : (this.#taken.get(one) ?? [])));
    this.#tools = byName(lists.flat());
    this.#taken.set(source, listed);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** All that were listed, in the order of their sources. */
  all(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** @param id of a server; an unknown id offers nothing. */
  offeredBy(id: string): ServerOffer {
    const source = this.#sources.find(({ server }) => server === id);
    return { tools: (source && this.#taken.get(source)) ?? [], outage: source?.outage };
  }

  /**
   * The tools of these names, in this order.
   * @throws PostelError `invalid_configuration` for a name that no tool has.
   */
  select(names: readonly string[]): readonly Tool[] {
    return names.map((name) => {
      const tool = this.#tools.get(name);
      if (!tool)
        throw refusal(`No tool is called \`${name}\`; there are: ${[...this.#tools.keys()].join(", ") || "none"}.`);
      return tool;
    });
  }
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const named = new Map<string, Tool>();
  for (const tool of tools) {
    const { name } = tool.spec;
    if (!LEGAL_NAME.test(name))
      throw refusal(
        `The tool name ${JSON.stringify(name)} is not 1–128 letters, digits or \`_-.:/\`; rename the tool.`,
      );
    if (name === READ_RESULT)
      throw refusal(`The tool name \`${name}\` is the gateway's own, for results that were cut; rename the tool.`);
    if (named.has(name)) throw refusal(`Two tools are called \`${name}\`; rename one of them.`);
    named.set(name, tool);
  }
  return named;
}

function refusal(message: string): PostelError {
  return new PostelError(createFailure("invalid_configuration", message));
}
