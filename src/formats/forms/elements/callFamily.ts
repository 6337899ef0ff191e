// The family of a call by the spelling of its mark. Knows no wrappers.
import type { Tag } from "../../text/Tag.ts";
import { nameOf } from "./callMarks.ts";

/** The family of a call mark whose spelling belongs to one family alone. */
export function familyOfCall(tag: Tag): string | undefined {
  if (tag.prefix === "xtml") return "kimi-k3";
  if (tag.prefix === "steptml") return "step3-steptml";
  if (tag.prefix === "xai") return "xai-xml";
  if (tag.prefix === "atem") return "muse-atem";
  if (tag.name === "use_mcp_tool") return "mcp-xml";
  if (tag.name === "__function" || tag.name === "_function") return "nova-xml";
  if (tag.name === "function" && tag.value === undefined && tag.prefix === "")
    return nameOf(tag) === undefined ? "tool-name-xml" : "minicpm5-xml";
  return undefined;
}
