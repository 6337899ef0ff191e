// Builds the definition of a tool for acceptance: bounded for display, with a hash over everything that the server sent.
import { createHash } from "node:crypto";
import type { ApprovalPolicy } from "../../core/config/componentActions.ts";
import type { McpLimits } from "../../core/config/mcpComponent.ts";
import { stringifySorted } from "../../core/json/jsonObjectText.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { ToolDefinition } from "../../core/tools/toolDefinition.ts";

/** @param listed the server's entry; its schema is known to be within the limits. */
export function toDefinition(
  server: string,
  tool: string,
  { listed, limits }: { readonly listed: JsonObject; readonly limits: McpLimits },
): ToolDefinition {
  const described = Object.fromEntries(
    KEPT.filter((key) => Object.hasOwn(listed, key)).map((key) => [key, listed[key]]),
  );
  const hash = createHash("sha256").update(stringifySorted(described)).digest("hex");
  const shortened = Object.entries(described).map(([key, value]) => [
    key,
    key === "inputSchema" ? value : shortenDescriptions(value, limits),
  ]);
  return { server, tool, listed: Object.fromEntries(shortened) as JsonObject, hash };
}

const KEPT = ["name", "title", "description", "inputSchema", "annotations"] as const;

function shortenDescriptions(value: JsonValue | undefined, { descriptionChars }: McpLimits): JsonValue {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  if (text.length <= descriptionChars) return value ?? null;
  return `${text.slice(0, descriptionChars).toWellFormed()}… (${text.length} characters)`;
}

/** A server's `destructiveHint` is trusted; hints that a tool is harmless are not. */
export function deriveApproval({ annotations }: JsonObject): ApprovalPolicy | undefined {
  return isObject(annotations) && annotations.destructiveHint === true ? { type: "always" } : undefined;
}
