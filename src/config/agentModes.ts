// What an agent is otherwise in one of the modes of a session, as the files write it. Decides nothing about a run.
import { z } from "zod";
import { SESSION_MODES, type SessionMode } from "../core/stores.ts";
import { agentToolSchema, type WrittenTool } from "./agentTools.ts";
import { listOf, someText } from "./fields.ts";

export interface WrittenMode {
  readonly model?: string | undefined;
  readonly tools?: readonly WrittenTool[] | undefined;
}

export type WrittenModes = { readonly [Mode in SessionMode]?: WrittenMode | undefined };

/** The key `modes:` of an agent. */
export function modesSchema() {
  const mode = z.strictObject({
    model: someText("a model name").optional(),
    tools: listOf(agentToolSchema(), "tool names").optional(),
  });
  return z.strictObject({ normal: mode.optional(), agent: mode.optional() });
}

/** The modes of which an agent says something. */
export function modesOf({
  modes,
}: {
  readonly modes?: WrittenModes | undefined;
}): readonly (readonly [SessionMode, WrittenMode])[] {
  return SESSION_MODES.flatMap((mode) => {
    const written = modes?.[mode];
    return written ? [[mode, written] as const] : [];
  });
}
