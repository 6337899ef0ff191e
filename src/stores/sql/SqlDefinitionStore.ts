// Stores the tool definitions of external servers that owners have accepted.
import type { DefinitionStore } from "../../core/stores/DefinitionStore.ts";
import type { ToolDefinition } from "../../core/tools/toolDefinition.ts";
import type { SealPlace, Seals } from "../seals/Seals.ts";
import { filterReadable } from "./checksummedJson.ts";
import type { Database } from "./Database.ts";

/** Owner of definitions accepted for all owners; no caller has this name. */
const ALL = "";

export class SqlDefinitionStore implements DefinitionStore {
  readonly #database: Database;
  readonly #seals: Seals;

  constructor(database: Database, seals: Seals) {
    this.#database = database;
    this.#seals = seals;
  }

  agreed(
    owner: string,
    { server, tool }: Pick<ToolDefinition, "server" | "tool">,
  ): Promise<ToolDefinition | undefined> {
    return this.#database.read(async (tables) => {
      const row = await tables
        .selectFrom("tool_definitions")
        .select(["owner", "definition"])
        .where("owner", "in", [owner, ALL])
        .where("server", "=", server)
        .where("tool", "=", tool)
        .orderBy("owner", "desc")
        .limit(1)
        .executeTakeFirst();
      // A damaged definition must be accepted again.
      const recordName = `The approved definition of the tool ${tool} of ${server}`;
      return filterReadable(row ? [row] : [], (found) =>
        this.#seals.unseal<ToolDefinition>(getDefinitionPlace({ owner: found.owner, server, tool }), found.definition, {
          recordName,
        }),
      )[0];
    });
  }

  agree(owner: string, definition: ToolDefinition): Promise<void> {
    const row = this.#toRow(owner, definition);
    return this.#database.writeThrough(async (tables) => {
      await tables
        .insertInto("tool_definitions")
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(["owner", "server", "tool"]).doUpdateSet({ definition: row.definition }),
        )
        .execute();
    });
  }

  agreeToFirst(server: string, definitions: readonly ToolDefinition[]): Promise<void> {
    const rows = definitions.map((definition) => this.#toRow(ALL, definition));
    return this.#database.write(async (tables) => {
      const before = await tables
        .selectFrom("tool_definitions")
        .select("tool")
        .where("owner", "=", ALL)
        .where("server", "=", server)
        .limit(1)
        .executeTakeFirst();
      if (!before && rows.length > 0) await tables.insertInto("tool_definitions").values(rows).execute();
    });
  }

  #toRow(owner: string, definition: ToolDefinition) {
    const { server, tool } = definition;
    const sealed = this.#seals.seal(getDefinitionPlace({ owner, server, tool }), definition);
    return { owner, server, tool, definition: sealed };
  }
}

interface DefinitionKey {
  readonly owner: string;
  readonly server: string;
  readonly tool: string;
}

export function getDefinitionPlace({ owner, server, tool }: DefinitionKey): SealPlace {
  return ["tool_definitions", owner, server, tool];
}
