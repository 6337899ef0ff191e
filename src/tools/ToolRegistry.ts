// The tools of this gateway by name. Refuses two tools of one name, and names that no model could be shown.
import { failure, PostelError } from "../core/failures.ts";
import type { Tool } from "./Tool.ts";

const LEGAL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;

export class ToolRegistry {
  readonly #tools: ReadonlyMap<string, Tool>;

  /** @throws PostelError `invalid_configuration` for clashing and illegal names. */
  constructor(tools: readonly Tool[]) {
    const byName = new Map<string, Tool>();
    for (const tool of tools) {
      const { name } = tool.spec;
      if (!LEGAL_NAME.test(name))
        throw refusal(
          `The tool name ${JSON.stringify(name)} is not 1–128 letters, digits or \`_-.:/\`; rename the tool.`,
        );
      if (byName.has(name)) throw refusal(`Two tools are called \`${name}\`; rename one of them.`);
      byName.set(name, tool);
    }
    this.#tools = byName;
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

function refusal(message: string): PostelError {
  return new PostelError(failure("invalid_configuration", message));
}
