// Marks of reasoning: what opens a block, what closes it, and which of them a model writes. Data only.

export interface ReasoningRow {
  /** The id that `models.yaml` names. */
  readonly id: string;
  readonly open: readonly string[];
  readonly close: readonly string[];
  /** Ids of other rows whose marks such models write as well. */
  readonly also?: readonly string[] | undefined;
  /** Believed at the start of a turn whoever the model is: no prompt asks for it as a section of the answer. */
  readonly everyModel?: boolean | undefined;
  /** A word that prompts ask for as a section of the answer: its closer is content too, unless the row writes it. */
  readonly section?: boolean | undefined;
  /** A word that must follow the opener, and belongs to it. */
  readonly word?: string | undefined;
}

/** Canonical mark names (see Tag); `/x` is a closing element. Marks of one family alone stand in its row. */
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
