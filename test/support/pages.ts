// Pages of the documentation as they are read: their blocks, what an answer says for the blocks that come, and what is shown of one.
import { expect } from "@jest/globals";

interface Block {
  readonly language: string;
  /** The name of the file that it is; empty for what is none. */
  readonly file: string;
  readonly text: string;
}

/** The fenced blocks of a page, in their order. */
export function blocksOf(page: string): readonly Block[] {
  const found = page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm);
  return [...found].map(([, language = "", file = "", text = ""]) => ({ language, file, text }));
}

/** What an answer says, for the blocks that come: `$CALL`, `$PLAN` and `$RUN`. */
export function variablesIn(answer: string): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { id, object, plan, function: called, type, run_id } = value as Record<string, unknown>;
    if (object === "agent.run") found.RUN = String(id);
    if (typeof plan === "string" || type === "approval") Object.assign(found, { CALL: id, PLAN: plan, RUN: run_id });
    if (called && id)
      Object.assign(found, { CALL: id, PLAN: JSON.parse((called as { arguments: string }).arguments).plan });
    for (const inner of Object.values(value)) look(inner);
  };
  look(JSON.parse(answer));
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === "string"));
}

/** The shown answer, with anything in the place of what is left out. */
export function shown(text: string): unknown {
  return JSON.parse(text, (_key, value) => {
    if (value === "…") return expect.anything();
    if (Array.isArray(value)) return value.length > 0 ? expect.arrayContaining(value) : value;
    return typeof value === "object" && value !== null ? expect.objectContaining(value) : value;
  });
}

/** Whether a text is the shown one, with anything in the place of what is left out. */
export function isShown(text: string, asShown: string): boolean {
  const parts = asShown
    .trim()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*")}$`).test(text.trim());
}
