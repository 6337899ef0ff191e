// Table of adaptations for messages that an upstream refuses. Sends nothing.
import type { JsonObject } from "../../core/messages.ts";
import { asArray, asObject } from "../looseJson.ts";
import { applyQuirks, TOOLS_BESIDE_CALLS } from "../request/quirks.ts";
import { showsResults } from "../request/toolResultImages.ts";
import { type Adaptation, addQuirks } from "./Adaptation.ts";
import { matchSentence } from "./findSentence.ts";
import {
  GREETING,
  IMAGE_RESULT_PROBE,
  INSTRUCTION,
  ODD_CALL,
  PROBE_CALL,
  PROBE_TOOL,
  REPLY,
  RESULT_PROBE,
} from "./probes.ts";

const ALTERNATION =
  /roles? must (be )?alternat|must alternate|first message must[^.\n]{0,20}user|consecutive (user|assistant)/i;

/** Adaptations by the name under which a refusal is stored; see `ADAPTATIONS`. */
export const MESSAGE_ADAPTATIONS: readonly (readonly [string, Adaptation])[] = [
  [
    "role:ids",
    {
      isSent: (body) => applyQuirks(body, ["ids-9"]) !== body,
      // Mistral, and servers with its tokenizer; OpenAI; Anthropic; Bedrock.
      wordings:
        /tool call ids? (was|should be)[^\n]{0,200}?\b(length of 9|alphanumeric)|tool_calls\[\d+\]\.id['"]?: (string too long|invalid)|tool_use\.id: string should|tool_use_?id['"]? failed to satisfy/i,
      learn: addQuirks("ids-9"),
      probe: {
        messages: [
          GREETING,
          { role: "assistant", content: null, toolCalls: [ODD_CALL] },
          { role: "tool", content: "Nothing.", toolCallId: ODD_CALL.id },
        ],
        tools: [PROBE_TOOL],
      },
    },
  ],
  [
    "messages+tools:calls",
    {
      isSent: (body) =>
        body.tools === undefined && asArray(body.messages).some((message) => asObject(message)?.tool_calls),
      // Bedrock, with another field name; proxies for it; Anthropic.
      wordings: matchSentence(
        String.raw`\b(tools|toolConfig)\b`,
        String.raw`\b(must|missing|without|needs?|expect(s|ed)|requires?|required|(defin|specif|provid|declar|includ)\w*|empty|no)\b`,
      ),
      learn: addQuirks(TOOLS_BESIDE_CALLS),
      probe: {
        messages: [
          GREETING,
          { role: "assistant", content: null, toolCalls: [PROBE_CALL] },
          { role: "tool", content: "Nothing.", toolCallId: PROBE_CALL.id },
        ],
      },
    },
  ],
  [
    "role:tool",
    {
      isSent: (body) => hasRole(body, "tool"),
      wordings:
        /only (['"`]?user['"`]?,? )(and|or) ['"`]?(assistant|model)['"`]? roles|(unexpected|unknown|unsupported|invalid) role:? ['"`]?tool\b|unknown variant [`'"]tool\b|\btool['"`]? role (is )?(not|un)/i,
      learn: addQuirks("no-tool-role", "alternate-roles"),
      probe: RESULT_PROBE,
    },
  ],
  [
    "role:tool-order",
    {
      // If the roles already alternate, the error can only concern the tool results.
      isSent: (body) => hasRole(body, "tool") && alternates(listRoles(body)),
      wordings: ALTERNATION,
      learn: addQuirks("no-tool-role", "alternate-roles"),
      probe: RESULT_PROBE,
    },
  ],
  [
    "role:null-content",
    {
      isSent: (body) => applyQuirks(body, ["no-null-content"]) !== body,
      wordings:
        /invalid message content type: <nil>|\bcontent\b['"`\]]*(:| field)? (must be|should be|expected) an? (valid )?string|content[^.\n]{0,60}(got|was) null|content[^.\n]{0,40}input should be a valid string/i,
      learn: addQuirks("no-null-content"),
      probe: RESULT_PROBE,
    },
  ],
  [
    "role:result-images",
    {
      isSent: showsResults,
      names: String.raw`\b(images?([ _]?urls?| inputs?)?|vision|multi-?modal\w*)\b`,
      // DeepSeek; llama.cpp; vLLM; OpenRouter; Ollama.
      wordings:
        /unknown variant [`'"]image_url|image input is not supported|is not a multimodal model|at most 0 images?|no endpoints found that support image|missing data required for image input/i,
      learn: addQuirks("no-result-images"),
      probe: IMAGE_RESULT_PROBE,
    },
  ],
  [
    "role:parts",
    {
      isSent: (body) => applyQuirks(body, ["content-as-text"]) !== body,
      wordings:
        /content[^\n]{0,40}invalid type: sequence, expected a string|unknown content type|content['"`\]]*(:| field)? (must be|should be) an? (valid )?string|content[^\n]{0,40}expected a string, but got an array|content[^.\n]{0,40}input should be a valid string/i,
      learn: addQuirks("content-as-text"),
      probe: { messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
    },
  ],
  [
    "role:empty",
    {
      isSent: (body) => applyQuirks(body, ["no-empty-content"]) !== body,
      wordings:
        /text content blocks must be non-empty|content (must|can ?not|may not|should)( not)? be (non-)?empty|\bcontent is required|text field in the contentblock object[^\n]{0,80} is blank/i,
      learn: addQuirks("no-empty-content"),
      probe: { messages: [GREETING, { role: "assistant", content: "" }, GREETING] },
    },
  ],
  [
    "role:developer",
    {
      isSent: (body) => hasRole(body, "developer"),
      names: String.raw`\bdeveloper\b`,
      wordings: /does not support ['"\x60]developer/i,
      learn: () => ({ systemRole: "system" }),
      probe: { messages: [INSTRUCTION, GREETING] },
    },
  ],
  [
    "role:system-first",
    {
      isSent: (body) => hasRole(body, "system") || hasRole(body, "developer"),
      wordings: /system (message|prompt|role)s? must (be|come|appear)[^.\n]{0,20}(beginning|first|start)/i,
      learn: addQuirks("merge-system"),
      probe: { messages: [GREETING, REPLY, INSTRUCTION, GREETING] },
    },
  ],
  [
    "role:system",
    {
      isSent: (body) => hasRole(body, "system"),
      names: String.raw`\bsystem['"\x60]?[ _-]?(role|message|prompt|instruction)s?\b|\brole:? ['"\x60]?system\b|\bdeveloper instructions?\b`,
      wordings:
        /only (['"`]?user['"`]?,? )(and|or) ['"`]?(assistant|model)['"`]? roles|unknown variant [`'"]system|unexpected role[^.\n]{0,10}system|\.role['"\x60]? does not support ['"\x60]system/i,
      learn: (known) => ({ systemRole: "user", ...addQuirks("alternate-roles")(known) }),
      probe: { messages: [INSTRUCTION, GREETING] },
    },
  ],
  [
    "role:reasoning",
    {
      isSent: (body) => asArray(body.messages).some((message) => asObject(message)?.reasoning_content !== undefined),
      names: String.raw`\breasoning_content\b`,
      learn: addQuirks("no-reasoning-back"),
      probe: { messages: [GREETING, { ...REPLY, reasoning: "Hm", reasoningField: "reasoning_content" }, GREETING] },
    },
  ],
  [
    "role:last",
    {
      isSent: (body) => lastRole(body) === "assistant",
      wordings: /expected last role|last message (must|should|can ?not)|must end with a user|prefill/i,
      learn: addQuirks("user-last"),
      probe: { messages: [GREETING, REPLY] },
    },
  ],
  [
    "role:order",
    {
      isSent: (body) => body.messages !== undefined,
      wordings: ALTERNATION,
      learn: addQuirks("merge-system", "alternate-roles"),
      probe: { messages: [GREETING, GREETING] },
    },
  ],
];

/** Returns true if user and assistant messages alternate, whatever stands between them. */
function alternates(roles: readonly unknown[]): boolean {
  const turns = roles.filter((role) => role === "user" || role === "assistant");
  const spoken = turns.filter((role, at) => role === "user" || turns[at - 1] !== "assistant");
  return spoken[0] === "user" && spoken.every((role, at) => role !== spoken[at + 1]);
}

function listRoles(body: JsonObject): readonly unknown[] {
  return asArray(body.messages).map((message) => asObject(message)?.role);
}

function hasRole(body: JsonObject, role: string): boolean {
  return listRoles(body).includes(role);
}

function lastRole(body: JsonObject): unknown {
  return listRoles(body).at(-1);
}
