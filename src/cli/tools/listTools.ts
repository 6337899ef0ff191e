// `postel tools`: lists the configured tools with their agents and call statistics. Calls none.

import { getTerminalWidth, renderTable } from "../output/table.ts";
import { writeNote, writeText } from "../output/terminal.ts";
import { formatHolders, type ListedTool, type ToolsFlags, toToolJson, withTools } from "./toolListing.ts";

/** Resolves with the exit status. */
export function listTools(flags: ToolsFlags): Promise<number> {
  return withTools(flags, ({ tools, unlisted }) => {
    if (flags.json) {
      writeText(`${JSON.stringify({ tools: tools.map(toToolJson), unlisted: [...unlisted.keys()] }, null, 2)}\n`);
      return 0;
    }
    writeText(renderTable({ heads: HEADS, rows: tools.map(toTableRow) }, getTerminalWidth()));
    for (const note of unlisted.values()) writeNote(note);
    return 0;
  });
}

const HEADS = ["tool", "kind", "agents", "approval", "calls", "failed", "ms", "characters"];

/** Times and characters are those of one call, on average. */
function toTableRow({ name, kind, agents, approval, counts }: ListedTool): readonly string[] {
  const calls = counts.reduce((sum, count) => sum + count.calls, 0);
  const failed = counts.filter(({ outcome }) => outcome !== "ok").map(({ outcome, calls: n }) => `${n} ${outcome}`);
  const mean = (field: "ms" | "chars") =>
    calls === 0 ? "" : String(Math.round(counts.reduce((sum, count) => sum + count[field], 0) / calls));
  const head = [name, kind, formatHolders(agents) || "-", approval ?? "not listed"];
  return [...head, String(calls), failed.join(", ") || "0", mean("ms"), mean("chars")];
}
