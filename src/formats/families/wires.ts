// Chat templates by name: whose framing a model writes, and so may write into its answer. Data only.

/** What begins a message. */
export interface Opening {
  /** The mark that stands first. */
  readonly mark?: string | undefined;
  /** Where no mark does: what stands before the role's words. Such a heading is only looked for behind another mark. */
  readonly words?: string | undefined;
  /** Whose message it is, where the mark says so itself: then the words behind it are a name. */
  readonly role?: "assistant" | "other" | undefined;
  /** What ends the role's words: a line's end, a mark, or `*` for any mark, which stays. Absent: the mark is the whole heading. */
  readonly until?: readonly string[] | undefined;
}

/** One chat template's framing. Marks have their canonical names (see Tag); `/x` is a closing element. */
export interface WireRow {
  /** The id that `models.yaml` names. */
  readonly id: string;
  /** After one of these, only another message of the assistant is read. */
  readonly ends: readonly string[];
  readonly starts: readonly Opening[];
  /** Marks in front of an answer or a part of one, and those behind it. */
  readonly opens?: readonly string[] | undefined;
  readonly closes?: readonly string[] | undefined;
  /** Messages have a header with a channel and a recipient: forms/headed/framedMessages.ts reads them. */
  readonly channels?: boolean | undefined;
  /** Roles of messages that hold reasoning, and what the first of them begins with where the prompt wrote its first word. */
  readonly reasoningRoles?: readonly string[] | undefined;
  readonly reasoningStart?: string | undefined;
}

/** Whose message a heading begins, by the words for a role that templates write. Behind `call` stands one, which its own grammar reads. */
export const HEADING_ROLES: ReadonlyMap<string, "assistant" | "call" | "other"> = new Map([
  ...["", "assistant", "model", "ai"].map((words) => [words, "assistant"] as const),
  ...["function call", "assistant -> tool/function_call"].map((words) => [words, "call"] as const),
  ...["system", "developer", "user", "human", "documents", "available_tools"].map((words) => [words, "other"] as const),
  ...["tool", "tools", "tool_response", "function", "function result", "ipython", "environment", "observation"].map(
    (words) => [words, "other"] as const,
  ),
]);

const LINE = ["\n"];
const ANY_MARK = ["*"];

/** Templates that models of several families were trained on; one that is a family's own stands in its row. */
export const TEMPLATES: readonly WireRow[] = [
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
  { id: "mistral", ends: ["/s"], starts: [{ mark: "[INST]", role: "other" }], opens: ["s", "[/INST]"] },
  {
    id: "deepseek",
    ends: ["|end_of_sentence|"],
    starts: [
      { mark: "|Assistant|", role: "assistant" },
      { mark: "|User|", role: "other" },
    ],
    opens: ["|begin_of_sentence|"],
  },
  {
    id: "gemma",
    ends: ["end_of_turn", "eos"],
    starts: [{ mark: "start_of_turn", until: LINE }],
    opens: ["bos"],
  },
  { id: "gemini", ends: [], starts: [], opens: ["ctrl42"] },
  {
    id: "muse",
    ends: ["|eot|", "|eom|"],
    starts: [{ mark: "|start|" }, { mark: "|message|" }],
    channels: true,
  },
  {
    id: "glm",
    ends: ["|user|", "|observation|", "|endoftext|"],
    starts: [
      { mark: "|assistant|", role: "assistant" },
      { mark: "|user|", role: "other", until: LINE },
      { mark: "|observation|", role: "other", until: LINE },
      { mark: "|system|", role: "other", until: LINE },
    ],
  },
  {
    id: "phi3",
    ends: ["|endoftext|"],
    starts: [
      { mark: "|assistant|", role: "assistant" },
      { mark: "|user|", role: "other" },
      { mark: "|system|", role: "other" },
      { mark: "|tool|", role: "other" },
    ],
    closes: ["|end|"],
  },
  {
    id: "zephyr",
    ends: ["/s", "|endoftext|"],
    starts: [
      { mark: "|assistant|", role: "assistant", until: LINE },
      { mark: "|user|", role: "other", until: LINE },
      { mark: "|system|", role: "other", until: LINE },
    ],
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
    starts: [
      { mark: "|CHATBOT_TOKEN|", role: "assistant" },
      { mark: "|USER_TOKEN|", role: "other" },
      { mark: "|SYSTEM_TOKEN|", role: "other" },
    ],
    opens: ["|START_OF_TURN_TOKEN|", "|START_RESPONSE|", "|START_TEXT|"],
    closes: ["|END_RESPONSE|", "|END_TEXT|"],
  },
  {
    id: "solar",
    ends: ["|endoftext|", "|flush|"],
    starts: [{ mark: "|begin|", until: ANY_MARK }],
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
    starts: [
      { mark: "|assistant|", role: "assistant", until: LINE },
      { mark: "|user|", role: "other", until: LINE },
      { mark: "|system|", role: "other", until: LINE },
    ],
    opens: ["[BEGIN FINAL RESPONSE]"],
    closes: ["[END FINAL RESPONSE]", "|end|"],
  },
  { id: "minimax", ends: ["[e~["], starts: [{ words: "]~b]", until: LINE }] },
  {
    id: "exaone",
    ends: ["[|endofturn|]"],
    starts: [
      { mark: "[|assistant|]", role: "assistant" },
      { mark: "[|user|]", role: "other" },
      { mark: "[|system|]", role: "other" },
    ],
  },
  {
    id: "apertus",
    ends: ["|assistant_end|"],
    starts: [
      { mark: "|assistant_start|", role: "assistant" },
      { mark: "|user_start|", role: "other" },
      { mark: "|system_start|", role: "other" },
    ],
  },
  {
    id: "jamba",
    ends: ["|eom|", "|endoftext|"],
    starts: [
      { mark: "|assistant|", role: "assistant" },
      { mark: "|user|", role: "other" },
      { mark: "|tool|", role: "other" },
    ],
    opens: ["|bom|"],
  },
  { id: "ernie", ends: ["|end_of_sentence|", "/s"], starts: [] },
];

/** What a mark does in a wire. */
export type FramingKind = "end" | "start" | "open" | "close";

/** What the mark does in that wire, if it is one of it. */
export function kindIn({ ends, starts, opens, closes }: WireRow, mark: string): FramingKind | undefined {
  if (ends.includes(mark)) return "end";
  if (starts.some((opening) => opening.mark === mark)) return "start";
  if (opens?.includes(mark)) return "open";
  return closes?.includes(mark) ? "close" : undefined;
}

/** All marks of a wire. */
export function marksOf({ ends, starts, opens = [], closes = [] }: WireRow): readonly string[] {
  return [...ends, ...starts.flatMap(({ mark }) => mark ?? []), ...opens, ...closes];
}
