// Table of adaptations: how an upstream names a refused part, the adapted request, and the gateway's own probe. Sends nothing.
import type { JsonObject } from "../../core/messages.ts";
import { asObject } from "../looseJson.ts";
import type { ModelRequest } from "../ModelClient.ts";
import {
  applyQuirks,
  getOmitQuirk,
  NO_EFFORT_WITH_TOOLS,
  NO_FORMAT_WITH_TOOLS,
  OMITTABLE,
  type OmittableField,
} from "../request/quirks.ts";
import type { Learnable } from "./Adaptation.ts";
import { type Adaptation, addQuirks } from "./Adaptation.ts";
import { matchSentence } from "./findSentence.ts";
import { MESSAGE_ADAPTATIONS } from "./messageAdaptations.ts";
import { ASKS_FOR_JSON, ODD_SCHEMA_TOOL, ODD_TOOL, OMITTED_PROBES, PROBE_OUTPUT, PROBE_TOOL } from "./probes.ts";

/** Names that are also ordinary words. They count only if they are marked as names. */
const PLAIN_WORDS: ReadonlySet<string> = new Set([
  "seed",
  "stop",
  "user",
  "metadata",
  "store",
  "verbosity",
  "prediction",
]);

/**
 * Fields that a server of another wire names differently in its refusal. Google: 400 "Penalty is not enabled for models/gemini-2.5-flash"
 * (https://github.com/PublicAffairs/openai-gemini/issues/63), "Thinking level MEDIUM is not supported for this model."
 * (https://discuss.ai.google.dev/t/112648).
 */
const OTHER_WORDS: ReadonlyMap<OmittableField, RegExp> = new Map([
  ["presence_penalty", /\bpenalty is not (enabled|supported)/i],
  ["frequency_penalty", /\bpenalty is not (enabled|supported)/i],
  // Moonshot: "invalid temperature: only 1 is allowed for this model" (https://github.com/opencyvis/opencyvis-phone/issues/12).
  ["temperature", /invalid temperature: only [\d.]+ is allowed/i],
  ["reasoning_effort", /\bthinking ((level|budget) )?(\w+ )?is not (enabled|supported)/i],
]);

const FORMAT_NAMES = String.raw`\b(response[ _-]?format(\.type)?|json[ _-]?schema|json[ _-]?object|json mode|structured outputs?)\b`;

const TOOL_WORDS = String.raw`\b(tools?|tool[ _-]?(use|calls?|calling)|functions?|function[ _-]?call(s|ing)?)\b`;
const FORMAT_WORDS = String.raw`\b(json mode|json_schema|json_object|(response|output)[ _]?(format|mime[ _]?type|schema)|structured[ _]outputs?|controlled generation|grammar constraints?)`;
/** The single word in quotation marks is a name of the caller's, such as a property. */
const EFFORT_WORDS = String.raw`\b(reasoning[ _.-]?effort|effort|(?<!['"\x60])reasoning(?! (models?|content)\b))\b`;
/** Words that say that two parts of a request exclude each other. */
const CONFLICT_WORDS = String.raw`\b(not|cannot|\w+n['’]t|unsupported|unavailable|disabled|incompatible|mutually|conflicts?|together|same time|simultaneous(ly)?|instead of|without|unless|requires?|must be|only)\b`;

/**
 * Adaptations by the name under which a refusal is stored. If an error names two at the same offset, the first counts, so
 * narrower entries precede wider ones.
 */
export const ADAPTATIONS: ReadonlyMap<string, Adaptation> = new Map<string, Adaptation>([
  [
    "reasoning_effort+tools",
    {
      isSent: (body) => body.tools !== undefined && body.reasoning_effort !== "none",
      // OpenAI: "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools,
      // use /v1/responses or set reasoning_effort to 'none'." A model's own default counts as an effort.
      wordings: matchSentence(EFFORT_WORDS, TOOL_WORDS, CONFLICT_WORDS),
      learn: addQuirks(NO_EFFORT_WITH_TOOLS),
      elseInText: true,
      probe: { tools: [PROBE_TOOL], passthrough: { reasoning_effort: "low" } },
    },
  ],
  [
    "response_format+tools",
    {
      isSent: (body) => body.tools !== undefined && body.response_format !== undefined,
      wordings: matchSentence(FORMAT_WORDS, TOOL_WORDS, CONFLICT_WORDS),
      learn: addQuirks(NO_FORMAT_WITH_TOOLS),
      probe: { messages: ASKS_FOR_JSON, tools: [PROBE_TOOL], output: PROBE_OUTPUT },
    },
  ],
  ["tool_choice:named", choiceMend("named", (choice) => asObject(choice) !== undefined)],
  ["tool_choice:required", choiceMend("required", (choice) => choice === "required")],
  ["tool_choice:none", choiceMend("none", (choice) => choice === "none")],
  [
    "tools+messages:names",
    {
      isSent: (body) => applyQuirks(body, ["names-64"]) !== body,
      // OpenAI; Mistral; Google; Bedrock; Anthropic.
      wordings:
        /function\.name['"]?: (string does not match|string too long)|function name was [^\n]{1,200}? but must be|invalid function name|tool(Spec|Use)\.name['"]? failed to satisfy|(custom|tool_use)\.name: string should/i,
      learn: addQuirks("names-64"),
      probe: { tools: [ODD_TOOL] },
    },
  ],
  schemaMend("schema-moonshot", /moonshot flavored json schema|conflict in schema definitions for key/i),
  schemaMend(
    "schema-gemini",
    /unknown name \\?"[^"\\]+\\?" at '[^'\n]*(function_declarations|parameters)|field predicate failed: \$type|only allowed for (STRING|OBJECT|ARRAY) type|any_of, it must be the only field|parameters[^\n]{0,200}\.items: missing field/i,
  ),
  schemaMend(
    "schema-object",
    /must have type ['"]?object['"]? and not have|input_schema does not support|array schema missing items|must match JSON schema draft/i,
  ),
  [
    "tools",
    {
      isSent: (body) => body.tools !== undefined,
      names: String.raw`(?<!parallel[ _-])\b(tools|tool[ _-]?(use|choice|calls?|calling)|functions|function[ _-]call(s|ing)?)\b(?!\[\d)`,
      // Servers that name the missing option: vLLM; llama.cpp (a 500 in older builds); OpenRouter.
      // Matches errors of any status: a complete sentence about tools as such, not about a detail of them.
      wordings:
        /--enable-auto-tool-choice|--tool-call-parser|tools param requires --jinja|no endpoints found that support tool|(?<![\w\]'"\x60.] )\b(tools|tool (use|calls|calling)|function calling) (is|are) not (yet |currently )?supported\b(?! (in|inside|within)\b)|\b(model|server|upstream|backend|it) (does not|doesn['’]t) (yet |currently )?support (tools|tool (use|calls|calling)|function calling)\b/i,
      learn: () => ({ tools: "text" }),
      probe: { tools: [PROBE_TOOL] },
    },
  ],
  [
    "stream",
    {
      isSent: (body) => body.stream === true,
      names: String.raw`${plainWord("stream")}|\bstreaming\b`,
      wordings: /verified to stream|['"\x60]stream['"\x60]? must be false/i,
      learn: () => ({ stream: "never" }),
      probe: {},
    },
  ],
  [
    "stream:false",
    {
      isSent: (body) => body.stream === false,
      // Alibaba: "This model only support stream mode", "enable_thinking must be set to false for non-streaming calls".
      wordings:
        /\bonly supports? stream(ing)?\b|\bnon-?stream(ing)? (calls?|mode|requests?|responses?|output)\b|\bstream['"\x60]? must be (set to )?true|非流式/i,
      learn: () => ({ stream: "always" }),
      probe: { stream: false },
    },
  ],
  [
    "response_format:json_schema",
    {
      isSent: (body) => getFormat(body) === "json_schema",
      names: FORMAT_NAMES,
      wordings: /['"\x60]?response_format(\.type)?['"\x60]? must be/i,
      // A server that took a schema in place of `json_object` and then refuses it has no form left.
      learn: ({ quirks }) => ({ jsonSchema: quirks.includes("json-object-as-schema") ? "none" : "json_object" }),
      probe: { messages: ASKS_FOR_JSON, output: PROBE_OUTPUT },
    },
  ],
  [
    "response_format:json_object",
    {
      isSent: (body) => getFormat(body) === "json_object",
      names: FORMAT_NAMES,
      wordings: /['"\x60]?response_format(\.type)?['"\x60]? must be/i,
      // LM Studio: "'response_format.type' must be 'json_schema' or 'text'".
      learn: (known) =>
        known.jsonSchema === "native" ? addQuirks("json-object-as-schema")(known) : { jsonSchema: "none" },
      probe: { messages: ASKS_FOR_JSON, output: { type: "json_object" } },
    },
  ],
  [
    "max_tokens",
    {
      isSent: (body) => body.max_tokens !== undefined,
      names: String.raw`\bmax[ _-]tokens\b`,
      learn: swapQuirks("max-tokens", "max-completion-tokens"),
      probe: { sampling: { maxTokens: 1 } },
    },
  ],
  [
    "max_completion_tokens",
    {
      isSent: (body) => body.max_completion_tokens !== undefined,
      names: String.raw`\bmax[ _-]completion[ _-]tokens\b`,
      learn: swapQuirks("max-completion-tokens", "max-tokens"),
      probe: { sampling: { maxCompletionTokens: 1 } },
    },
  ],
  ...MESSAGE_ADAPTATIONS,
  rangeMend("temperature:range-1.5", { most: 1.5, wordings: /less than or equal to 1\.5\b/i }),
  rangeMend("temperature:range-1", {
    most: 1,
    wordings:
      /temperature: range: (-1 or )?0(\.0)?\.\.1\b|temperature[^\n]{0,80}less than or equal to 1(\.0)?(?![.\d])/i,
  }),
  ...OMITTABLE.map((field): [string, Adaptation] => [
    field,
    {
      isSent: (body) => body[field] !== undefined,
      names: PLAIN_WORDS.has(field) ? plainWord(field) : underscored(field),
      wordings: OTHER_WORDS.get(field),
      learn: addQuirks(getOmitQuirk(field)),
      probe: OMITTED_PROBES[field],
    },
  ]),
]);

/** Keywords that the dialect does not support are omitted upstream. The call is still validated against the caller's schema. */
function schemaMend(dialect: string, wordings: RegExp): [string, Adaptation] {
  const mend: Adaptation = {
    isSent: (body) => applyQuirks(body, [dialect]) !== body,
    wordings,
    learn: addQuirks(dialect),
    probe: { tools: [ODD_SCHEMA_TOOL] },
  };
  return [`tools:${dialect}`, mend];
}

function choiceMend(
  choice: "named" | "required" | "none",
  isChoice: (value: JsonObject[string] | undefined) => boolean,
): Adaptation {
  return {
    isSent: (body) => isChoice(body.tool_choice),
    names: String.raw`\btool[ _-]?choice\b`,
    wordings: /\btool[ _-]?choice['"\x60]? (must|can only) be|\binvalid tool_choice type/i,
    learn: ({ toolChoice }) => ({ toolChoice: toolChoice.filter((one) => one !== choice) }),
    probe: {
      tools: [PROBE_TOOL],
      toolChoice: choice === "named" ? { type: "tool", name: PROBE_TOOL.name } : { type: choice },
    },
  };
}

function rangeMend(name: string, { most, wordings }: { most: 1 | 1.5; wordings: RegExp }): [string, Adaptation] {
  const mend: Adaptation = {
    isSent: ({ temperature }) => typeof temperature === "number" && temperature > most,
    wordings,
    learn: addQuirks(most === 1 ? "temperature-to-1" : "temperature-to-1-5"),
    probe: { sampling: { temperature: 2 } },
  };
  return [name, mend];
}

function swapQuirks(removed: string, added: string): Adaptation["learn"] {
  return ({ quirks }) => ({ quirks: [...quirks.filter((id) => id !== removed && id !== added), added] });
}

function plainWord(word: string): string {
  const quote = String.raw`["'\x60]`;
  return String.raw`${quote}${word}${quote}|\b(parameter|argument|field|property|supplied|param)s?:? ${quote}?${word}\b|(?<!role):\s+${word}\b|\b${word} (parameter|argument|field|property|sequence|word)s?\b`;
}

function underscored(field: string): string {
  return String.raw`\b${field.replaceAll("_", "[ _.-]?")}\b`;
}

function getFormat(body: JsonObject): unknown {
  return asObject(body.response_format)?.type;
}

/** Returns the request without the refused part; undefined if there is nothing left to change here. The agents decide about text mode. */
export function mendRequest(request: ModelRequest, refusedFeature: string): ModelRequest | undefined {
  const { capabilities } = request;
  const learned = ADAPTATIONS.get(refusedFeature)?.learn(capabilities);
  if (!learned || learned.tools === "text" || !isNews(learned, capabilities)) return undefined;
  return { ...request, capabilities: { ...capabilities, ...learned } };
}

function isNews(learned: Partial<Learnable>, known: Learnable): boolean {
  return JSON.stringify({ ...known, ...learned }) !== JSON.stringify(known);
}
