// Formats the complete plan of a call for its approver.
import type { InterruptRecord, Plan } from "../../core/runs/interrupts.ts";
import type { DefinitionChange, ShownDefinition } from "../../core/tools/toolDefinition.ts";
import { formatJson } from "../output/prettyJson.ts";

export function formatPlan({ agent, question, reason }: InterruptRecord, plan: Plan): string {
  const parts = [
    ...(agent === undefined ? [] : [`The agent ${agent} asks.`]),
    question,
    `${plan.edited ? "Arguments, as a person wrote them" : "Arguments"}:\n${formatJson(plan.arguments)}`,
    ...(plan.definition ? [formatDefinition(plan.definition)] : []),
    ...(reason === undefined ? [] : [`Why you are asked: ${reason}`]),
  ];
  return parts.join("\n\n");
}

/** The texts contain no invisible characters at this point. */
function formatDefinition({ server, tool, listed, changes }: ShownDefinition): string {
  const whose = `the server ${server} says of its tool ${tool}`;
  if (changes) return [`What ${whose} has changed:`, ...changes.map(formatChange)].join("\n");
  return `What ${whose}:\n${formatJson(JSON.stringify(listed))}`;
}

function formatChange({ at, was, is }: DefinitionChange): string {
  return [`  ${at}`, `    was: ${was ?? "not there"}`, `    is:  ${is ?? "no more there"}`].join("\n");
}
