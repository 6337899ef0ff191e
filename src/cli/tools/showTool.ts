// `postel tools NAME`: shows a tool's parameters, its agents, its approval policy and its call statistics. Calls nothing.
import { suggestName } from "../../config/load/suggestName.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { ToolSpec } from "../../core/messages.ts";
import type { ToolCount } from "../../core/tools/toolStatistics.ts";
import { formatDuration } from "../output/format.ts";
import { renderFacts } from "../output/table.ts";
import { writeText } from "../output/terminal.ts";
import { formatHolders, type ListedTool, type ToolsFlags, toToolJson, withTools } from "./toolListing.ts";

/** Resolves with the exit status. @throws PostelError `not_found`. */
export function showTool(name: string, flags: ToolsFlags): Promise<number> {
  return withTools(flags, ({ tools, unlisted, registry }) => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw unknown(name, tools, [...unlisted.values()]);
    const spec = registry.get(name)?.spec;
    if (flags.json) {
      const { description, parameters } = spec ?? {};
      writeText(`${JSON.stringify({ ...toToolJson(tool), description, parameters }, null, 2)}\n`);
      return 0;
    }
    writeText(inWords(tool, spec));
    return 0;
  });
}

function unknown(name: string, tools: readonly ListedTool[], unlisted: readonly string[]): PostelError {
  const meant = suggestName(
    name,
    tools.map((tool) => tool.name),
  );
  const message = `There is no tool ${JSON.stringify(name.slice(0, 256))}${meant}. \`postel tools\` lists them.`;
  return new PostelError(createFailure("not_found", [message, ...unlisted].join("\n")));
}

function inWords({ name, kind, agents, approval, untrusted, counts }: ListedTool, spec: ToolSpec | undefined): string {
  const facts = renderFacts([
    ["tool", name],
    ["kind", kind],
    ["description", spec?.description],
    ["agents", formatHolders(agents) || "none has it"],
    [
      "approval",
      approval ? ASKED[approval] : "not known: its server is not asked, or offers it no more (--connect asks)",
    ],
    ["results", untrusted ? "written by somebody outside of the house" : undefined],
    ["calls", counts.length === 0 ? "none is counted" : String(counts.reduce((sum, { calls }) => sum + calls, 0))],
    ...counts.map((count) => [`  ${count.outcome}`, cameTo(count)] as const),
  ]);
  return `${facts}\n${spec ? JSON.stringify(spec.parameters ?? {}, null, 2) : "Its schema is not known."}\n`;
}

/** The approval policy in words; a risky call always needs an approval. */
const ASKED: Readonly<Record<NonNullable<ListedTool["approval"]>, string>> = {
  never: "nobody is asked, but about a dangerous call",
  always: "a person agrees to each call",
  when: "a person agrees to calls whose arguments the configuration names",
  first: "a person agrees once, to what its server says of it",
};

function cameTo({ calls, ms, chars }: ToolCount): string {
  return `${calls}, ${formatDuration(ms / calls)} and ${Math.round(chars / calls)} characters each`;
}
