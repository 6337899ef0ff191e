// Data: text that models write around an answer, and so may write into it: framing of chat templates, reasoning markers, labels.

/** Opening of a message. */
export interface Opening {
  /** Marker at the start. */
  readonly mark?: string | undefined;
  /** Text before the role, for a heading without a marker. Such a heading is only looked for after another marker. */
  readonly words?: string | undefined;
  /** Role of the message, if the marker states it itself: then the text after it is a name. */
  readonly role?: "assistant" | "other" | undefined;
  /** End of the role's text: a line's end, a marker, or `*` for any marker, which stays. Absent: the marker is the complete heading. */
  readonly until?: readonly string[] | undefined;
}

/** Framing of one chat template. Markers have their canonical names (see Tag); `/x` is a closing element. */
export interface ChatTemplateSpec {
  /** The id that `models.yaml` names. */
  readonly id: string;
  /** After one of these, only another message of the assistant is read. */
  readonly ends: readonly string[];
  readonly starts: readonly Opening[];
  /** Markers before an answer or a part of one, and those after it. */
  readonly opens?: readonly string[] | undefined;
  readonly closes?: readonly string[] | undefined;
  /** Messages have a header with a channel and a recipient: grammars/headed/harmonyMessages.ts reads them. */
  readonly channels?: boolean | undefined;
  /** Roles of messages with reasoning, and the start of the first one if the prompt wrote its first word. */
  readonly reasoningRoles?: readonly string[] | undefined;
  readonly reasoningStart?: string | undefined;
}

/** Role of a message by the text that templates write for it. After `call` follows a call, which its own grammar reads. */
export const HEADING_ROLES: ReadonlyMap<string, "assistant" | "call" | "other"> = new Map([
  ...["", "assistant", "model", "ai"].map((words) => [words, "assistant"] as const),
  ...["function call", "assistant -> tool/function_call"].map((words) => [words, "call"] as const),
  ...["system", "developer", "user", "human", "documents", "available_tools"].map((words) => [words, "other"] as const),
  ...["tool", "tools", "tool_response", "function", "function result", "ipython", "environment", "observation"].map(
    (words) => [words, "other"] as const,
  ),
]);

const LINE = ["\n"];

/** Creates openings whose markers state the role of the message. */
export function createSpokenRoles(
  assistant: readonly string[],
  others: readonly string[],
  maxOffset?: Opening["until"],
): readonly Opening[] {
  return [
    ...assistant.map((marker): Opening => ({ mark: marker, role: "assistant", until: maxOffset })),
    ...others.map((marker): Opening => ({ mark: marker, role: "other", until: maxOffset })),
  ];
}

/** Templates of models of several formats. A template of one format alone stands in its spec. */
export const TEMPLATES: readonly ChatTemplateSpec[] = [
  {
    id: "chatml",
    ends: ["|im_end|", "|endoftext|"],
    starts: [{ mark: "|im_start|", until: ["\n", "|im_sep|"] }],
    opens: ["|im_sep|", "|startoftext|"],
  },
  {
    id: "hyperclovax",
    ends: ["|im_end|", "|endoftext|"],
    starts: [{ mark: "|im_start|", until: LINE }],
    reasoningRoles: ["assistant/think"],
    reasoningStart: "/think\n",
  },
  {
    id: "llama3",
    ends: ["|eot_id|", "|eom_id|", "|end_of_text|"],
    starts: [{ mark: "|start_header_id|", until: ["|end_header_id|"] }],
    opens: ["|begin_of_text|", "|end_header_id|"],
  },
  {
    id: "functionary",
    ends: ["|stop|", "|eot_id|", "|end_of_text|"],
    starts: [{ mark: "|start_header_id|", until: ["|end_header_id|"] }],
    opens: ["|end_header_id|"],
  },
  {
    id: "llama4",
    ends: ["|eot|", "|eom|", "|end_of_text|"],
    starts: [{ mark: "|header_start|", until: ["|header_end|"] }],
    opens: ["|begin_of_text|", "|header_end|"],
  },
  { id: "mistral", ends: ["/s"], starts: createSpokenRoles([], ["[INST]"]), opens: ["s", "[/INST]"] },
  {
    id: "deepseek",
    ends: ["|end_of_sentence|"],
    starts: createSpokenRoles(["|Assistant|"], ["|User|"]),
    opens: ["|begin_of_sentence|"],
  },
  { id: "gemma", ends: ["end_of_turn", "eos"], starts: [{ mark: "start_of_turn", until: LINE }], opens: ["bos"] },
  { id: "gemini", ends: [], starts: [], opens: ["ctrl42"] },
  { id: "muse", ends: ["|eot|", "|eom|"], starts: [{ mark: "|start|" }, { mark: "|message|" }], channels: true },
  {
    id: "glm",
    ends: ["|user|", "|observation|", "|endoftext|"],
    starts: [
      ...createSpokenRoles(["|assistant|"], []),
      ...createSpokenRoles([], ["|user|", "|observation|", "|system|"], LINE),
    ],
  },
  {
    id: "phi3",
    ends: ["|endoftext|"],
    starts: createSpokenRoles(["|assistant|"], ["|user|", "|system|", "|tool|"]),
    closes: ["|end|"],
  },
  {
    id: "zephyr",
    ends: ["/s", "|endoftext|"],
    starts: createSpokenRoles(["|assistant|"], ["|user|", "|system|"], LINE),
    opens: ["s"],
  },
  {
    id: "granite",
    ends: ["|end_of_text|"],
    starts: [{ mark: "|start_of_role|", until: ["|end_of_role|"] }],
    opens: ["|end_of_role|"],
  },
  {
    id: "cohere",
    ends: ["|END_OF_TURN_TOKEN|"],
    starts: createSpokenRoles(["|CHATBOT_TOKEN|"], ["|USER_TOKEN|", "|SYSTEM_TOKEN|"]),
    opens: ["|START_OF_TURN_TOKEN|", "|START_RESPONSE|", "|START_TEXT|"],
    closes: ["|END_RESPONSE|", "|END_TEXT|"],
  },
  {
    id: "solar",
    ends: ["|endoftext|", "|flush|"],
    starts: [{ mark: "|begin|", until: ["*"] }],
    opens: ["|content|"],
    closes: ["|end|"],
  },
  {
    id: "gigachat",
    ends: ["|message_sep|", "/s"],
    starts: [{ words: "", until: ["|role_sep|"] }],
    opens: ["|role_sep|"],
  },
  {
    id: "apriel",
    ends: ["|endoftext|"],
    starts: createSpokenRoles(["|assistant|"], ["|user|", "|system|"], LINE),
    opens: ["[BEGIN FINAL RESPONSE]"],
    closes: ["[END FINAL RESPONSE]", "|end|"],
  },
  { id: "minimax", ends: ["[e~["], starts: [{ words: "]~b]", until: LINE }] },
  { id: "exaone", ends: ["[|endofturn|]"], starts: createSpokenRoles(["[|assistant|]"], ["[|user|]", "[|system|]"]) },
  {
    id: "apertus",
    ends: ["|assistant_end|"],
    starts: createSpokenRoles(["|assistant_start|"], ["|user_start|", "|system_start|"]),
  },
  {
    id: "jamba",
    ends: ["|eom|", "|endoftext|"],
    starts: createSpokenRoles(["|assistant|"], ["|user|", "|tool|"]),
    opens: ["|bom|"],
  },
  { id: "ernie", ends: ["|end_of_sentence|", "/s"], starts: [] },
];

/** Function of a marker in a wire. */
export type FramingKind = "end" | "start" | "open" | "close";

/** Returns the function of the marker in the wire, or undefined if the wire has no such marker. */
export function classifyMarker(
  { ends, starts, opens, closes }: ChatTemplateSpec,
  marker: string,
): FramingKind | undefined {
  if (ends.includes(marker)) return "end";
  if (starts.some((opening) => opening.mark === marker)) return "start";
  if (opens?.includes(marker)) return "open";
  return closes?.includes(marker) ? "close" : undefined;
}

/** Returns all markers of a wire. */
export function collectMarkers({ ends, starts, opens = [], closes = [] }: ChatTemplateSpec): readonly string[] {
  return [...ends, ...starts.flatMap(({ mark }) => mark ?? []), ...opens, ...closes];
}

/** Reasoning markers: openers and closers of a block, and the models that write them. */
export interface ReasoningRow {
  /** The id that `models.yaml` names. */
  readonly id: string;
  readonly open: readonly string[];
  readonly close: readonly string[];
  /** Ids of other specs whose markers such models write as well. */
  readonly also?: readonly string[] | undefined;
  /** True if it is accepted at the start of a turn from any model: no prompt asks for it as a section of the answer. */
  readonly everyModel?: boolean | undefined;
  /** True for text that prompts request as a section of the answer: its closer is content too, unless the spec says otherwise. */
  readonly section?: boolean | undefined;
  /** A word that must follow the opener, and belongs to it. */
  readonly word?: string | undefined;
}

/** Canonical marker names (see Tag); `/x` is a closing element. Markers of one format alone stand in its spec. */
export const REASONING_ROWS: readonly ReasoningRow[] = [
  { id: "think", open: ["think", "|begin_of_thinking|"], close: ["/think", "|end_of_thinking|"], everyModel: true },
  { id: "longcat-think", open: ["longcat_think"], close: ["/longcat_think"] },
  { id: "ifm-think", open: ["think_fast", "think_faster"], close: ["/think_fast", "/think_faster"], also: ["think"] },
  { id: "thinking", open: ["thinking"], close: ["/thinking"], section: true },
  { id: "thought", open: ["thought"], close: ["/thought"], section: true },
  { id: "reasoning", open: ["reasoning"], close: ["/reasoning"], section: true },
  { id: "reflection", open: ["reflection"], close: ["/reflection"], section: true },
  { id: "scratchpad", open: ["scratch_pad", "scratchpad"], close: ["/scratch_pad", "/scratchpad"], section: true },
  { id: "analysis", open: ["analysis"], close: ["/analysis"], section: true },
  { id: "xtml-think", open: ["xtml:think"], close: ["xtml:/think"] },
  { id: "bracket-think", open: ["[THINK]"], close: ["[/THINK]"] },
  { id: "kimi-think", open: ["◁think▷"], close: ["◁/think▷"] },
  { id: "pangu", open: ["[unused16]"], close: ["[unused17]"] },
  { id: "cohere-thinking", open: ["|START_THINKING|"], close: ["|END_THINKING|"] },
  { id: "apertus-inner", open: ["|inner_prefix|"], close: ["|inner_suffix|"] },
  { id: "solar", open: ["|think|"], close: ["|end|"] },
  { id: "minicpm", open: ["|thought_start|"], close: ["|thought_end|"] },
  { id: "gemma-channel", open: ["|channel"], close: ["channel|"], word: "thought" },
  { id: "apriel", open: ["Here are my reasoning steps:"], close: ["[BEGIN FINAL RESPONSE]"] },
  { id: "granite", open: ["Here is my thought process:"], close: ["Here is my response:"], also: ["think"] },
];

/** Labels in front of an answer, in lower case and without decoration. */
export const ANSWER_LABELS: readonly string[] = ["final answer", "final_answer", "最终答案", "respuesta final"];

/** A label of the same meaning that is a plain heading unless a thought stands before it. */
export const WEAK_ANSWER_LABELS: readonly string[] = ["answer", "respuesta"];

/** Actions that answer without a call, by their input or their brackets (`Finish[…]`), unless a tool has the name. */
export const ANSWER_ACTIONS: readonly string[] = ["finish", "respond", "final answer", "final_answer", "answer"];

/** Final function of agents that write Python, and the marker after their code. If no tool has this name, its argument is the answer. */
export const ANSWER_FUNCTION = { name: "final_answer", parameter: "answer", end: "<end_code>" } as const;
