// Arguments without the name of a tool: which offered tool they can only be for. Makes no call of them: nobody said which was meant.
import type { ToolSpec } from "../../core/messages.ts";
import type { ValueAt } from "../bodies/jsonSpans.ts";
import { fitCall } from "./fitCall.ts";
import { offerOf } from "./offer.ts";

/** The one tool that an object fits as it stands, every key being a parameter; undefined where it is none, or fits several or no tool. */
export function toolOfBareArguments(value: ValueAt, tools: readonly ToolSpec[]): string | undefined {
  const { kind, members } = value.node;
  if (kind !== "object" || members.length === 0) return undefined;
  const keys = members.map(({ key }) => key);
  const { tools: prepared } = offerOf(tools);
  const [only, ...more] = [...prepared].filter(([name, { reader, schema }]) => {
    const takesAll = reader.shapes(schema).some(({ properties }) => keys.every((key) => properties.has(key)));
    if (!takesAll) return false;
    const candidate = { name, arguments: { type: "json", value }, repairs: [] } as const;
    return fitCall(candidate, { tools, family: "", raw: "" }).type === "call";
  });
  return more.length > 0 ? undefined : only?.[0];
}

/** What to say of them. */
export function namelessWords(tool: string): string {
  return `These are arguments without a tool's name. They fit ${tool} and no other tool: if you mean to call it, write its name too.`;
}
