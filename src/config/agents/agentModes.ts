// Schema of the session modes of an agent, which override some of its keys.
import { z } from "zod";
import { SESSION_MODES, type SessionMode } from "../../core/stores/SessionStore.ts";
import { listField, nonEmptyText } from "../fields.ts";
import { createAgentToolSchema, type WrittenTool } from "./agentTools.ts";

export interface WrittenMode {
  readonly model?: string | undefined;
  readonly tools?: readonly WrittenTool[] | undefined;
}

export type WrittenModes = { readonly [Mode in SessionMode]?: WrittenMode | undefined };

/** The key `modes:` of an agent. */
export function createModesSchema() {
  const mode = z.strictObject({
    model: nonEmptyText("a model name").optional(),
    tools: listField(createAgentToolSchema(), "tool names").optional(),
  });
  return z.strictObject({ normal: mode.optional(), agent: mode.optional() });
}

/** The modes that an agent configures. */
export function parseModes({
  modes,
}: {
  readonly modes?: WrittenModes | undefined;
}): readonly (readonly [SessionMode, WrittenMode])[] {
  return SESSION_MODES.flatMap((mode) => {
    const raw = modes?.[mode];
    return raw ? [[mode, raw] as const] : [];
  });
}
