// The tools of this gateway by name, as their sources list them. Refuses two tools of one name, and names that no model could be shown.
import { failure, PostelError } from "../core/failures.ts";
import { READ_RESULT } from "../core/keptResults.ts";
import type { Tool } from "./Tool.ts";
import type { ToolSource } from "./ToolSource.ts";

const LEGAL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;

/** Has no tools until it is refreshed. */
export class ToolRegistry {
  readonly #sources: readonly ToolSource[];
  /** What was taken of each source. */
  readonly #taken = new Map<ToolSource, readonly Tool[]>();
  #tools: ReadonlyMap<string, Tool> = new Map();

  constructor(sources: readonly ToolSource[]) {
    this.#sources = sources;
  }

  /**
   * Lists the sources that have changed or were never listed. One that cannot tell, or whose tools cannot be taken, keeps those it had.
   * @throws PostelError of the first such source, `invalid_configuration` for clashing and illegal names; the others are refreshed.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    const faults: unknown[] = [];
    for (const source of this.#sources) {
      if (this.#taken.has(source) && !source.changed) continue;
      try {
        this.#take(source, await source.list(signal));
      } catch (fault) {
        faults.push(fault);
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  #take(source: ToolSource, listed: readonly Tool[]): void {
    const lists = this.#sources.map((one) => (one === source ? listed : (this.#taken.get(one) ?? [])));
    this.#tools = byName(lists.flat());
    this.#taken.set(source, listed);
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
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
  return new PostelError(failure("invalid_configuration", message));
}
