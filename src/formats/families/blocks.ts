// Wrappers whose body decides its own dialect: the opener, the marks that close it, and the family that each dialect belongs to.
// Data only; forms/wrapped/wrappedCalls.ts reads it.

/** What the first visible characters behind the opener show (formats catalogue: dialect by what follows). */
export type Dialect = "json" | "array" | "function" | "invoke" | "element" | "pairs" | "python" | "header";

type FamilyChoice = string | readonly [string, ...string[]];

export interface BlockRow {
  /** Canonical name of the opening mark, without namespace. */
  readonly open: string;
  /** Canonical names that close it; `/x` is a closing element. Empty: the body's own end closes it. */
  readonly close: readonly string[];
  /**
   * The family by dialect; `json` is the fallback for those that are not named. Of several that write the same, the model's own
   * is meant, else the first.
   */
  readonly families: Readonly<Partial<Record<Dialect, FamilyChoice>>> & { readonly json: FamilyChoice };
  /** Names that stand for the wrapper's namespace in its family's place (`seed:tool_call` → `seed-xml`). */
  readonly namespaces?: Readonly<Record<string, string>> | undefined;
  /** A single added token: as the first thing of a turn of a model that writes it, it announces a call whatever follows. */
  readonly special?: boolean | undefined;
  /** Models put the marks around answers too: what is no call between them is the answer. */
  readonly noisy?: boolean | undefined;
  /** A word that prose puts in brackets for its own ends: only what reads like a call makes it a mark. */
  readonly word?: boolean | undefined;
  /** Brackets that this family's models forget are forgiven at the closer. */
  readonly looseArray?: boolean | undefined;
  /** What is no value behind the opener is program code, for the tool that runs code. */
  readonly code?: boolean | undefined;
}

const GLM = { pairs: "glm45" } as const;

export const BLOCKS: readonly BlockRow[] = [
  {
    open: "tool_call",
    close: ["/tool_call", "/tool_calls", "/function_call"],
    families: {
      json: ["hermes-json", "ernie-json"],
      array: ["granite3-json", "hermes-json", "xlam-array"],
      function: "qwen3-xml",
      invoke: "rwkv-xml",
      element: "tool-name-xml",
      header: "step-audio2",
      python: "hermes-json",
      ...GLM,
    },
    namespaces: {
      seed: "seed-xml",
      minimax: "minimax-m2",
      ifm: "k2-horizon",
      "|DSML|": "deepseek-v4",
      "|GCML|": "gcml",
    },
  },
  {
    open: "tool_calls",
    close: ["/tool_calls", "/tool_call"],
    families: {
      json: ["minimax-m1", "jamba-array"],
      array: ["jamba-array", "minimax-m1"],
      element: "tool-name-xml",
      pairs: "hy-v3",
      invoke: "deepseek-v4",
      function: "qwen3-xml",
    },
    namespaces: { "|DSML|": "deepseek-v4", "|GCML|": "gcml", ifm: "k2-horizon" },
  },
  {
    open: "toolcalls",
    close: ["/toolcalls"],
    families: { json: "deepseek-v4" },
    namespaces: { "|DSML|": "deepseek-v4" },
  },
  { open: "calls", close: ["/calls"], families: { json: "deepseek-v41" }, namespaces: { "|DSML|": "deepseek-v41" } },
  {
    open: "function_calls",
    close: ["/function_calls", "/function_call"],
    families: {
      json: "anthropic-xml",
      invoke: "anthropic-xml",
      python: "olmo3-pythonic",
      element: "anthropic-legacy",
      function: "qwen3-xml",
    },
    namespaces: { "|DSML|": "deepseek-v32", atem: "muse-atem" },
  },
  {
    open: "function_call",
    close: ["/function_call", "/function_calls", "/tool_call"],
    families: {
      json: "granite20b-fc",
      element: "tool-name-xml",
      invoke: "anthropic-xml",
      function: "qwen3-xml",
      python: "olmo3-pythonic",
    },
    namespaces: { xai: "xai-xml" },
  },
  {
    open: "tools",
    close: ["/tools"],
    families: { json: "qwen25-coder-tools", function: "nova-xml", element: "tool-name-xml" },
  },
  { open: "tool_use", close: ["/tool_use"], families: { json: "tool-name-xml", element: "tool-name-xml" } },
  { open: "action", close: ["/action"], families: { json: "tool-name-xml", element: "tool-name-xml" }, word: true },
  { open: "TOOLCALL", close: ["/TOOLCALL"], families: { json: "nemotron-toolcall" }, looseArray: true },
  { open: "longcat_tool_call", close: ["/longcat_tool_call"], families: { json: "longcat-json" } },
  {
    open: "dots_function_call",
    close: ["/dots_function_call"],
    families: { json: "dots-xml", invoke: "dots-xml" },
  },
  {
    open: "iquestcoder_tool_call",
    close: ["/iquestcoder_tool_call"],
    families: { json: "iquest-v2", pairs: "iquest-v2" },
    special: true,
  },
  {
    open: "|tool_call|",
    close: ["|/tool_call|", "/tool_call"],
    families: { json: ["granite3-json", "phi4-tag"] },
    special: true,
  },
  {
    open: "|tool_call_start|",
    close: ["|tool_call_end|"],
    families: {
      json: ["pangu-array", "lfm2-pythonic"],
      array: ["pangu-array", "lfm2-pythonic"],
      python: ["lfm2-pythonic", "minicpm3-python"],
    },
    special: true,
  },
  {
    open: "|python_start|",
    close: ["|python_end|"],
    families: { json: "llama-pythonic", python: "llama-pythonic" },
    special: true,
  },
  {
    open: "|python_tag|",
    close: [],
    families: { json: "llama3-json", python: "llama-builtin" },
    special: true,
    code: true,
  },
  { open: "|tools_prefix|", close: ["|tools_suffix|"], families: { json: "apertus-array" }, special: true },
  { open: "|START_ACTION|", close: ["|END_ACTION|"], families: { json: "cohere-action" }, special: true },
  { open: "|action_start|", close: ["|action_end|"], families: { json: "internlm-plugin" }, special: true },
  {
    open: "|FunctionCallBegin|",
    close: ["|FunctionCallEnd|"],
    families: { json: "doubao-fc" },
    special: true,
    noisy: true,
  },
  {
    open: "|content_invoke_tool_json|",
    close: ["|end_message|", "|content_model_end_sampling|"],
    families: { json: "inkling" },
    special: true,
  },
  { open: "|function_call|", close: ["|message_sep|"], families: { json: "gigachat3" }, special: true },
  {
    open: "|tool_call:start|",
    close: ["|tool_call:end|"],
    families: { json: "solar-open2", pairs: "solar-open2" },
    special: true,
  },
  { open: "<<function>>", close: [], families: { json: "gorilla", python: "gorilla" } },
  {
    open: "[TOOL_CALLS]",
    close: [],
    families: { json: ["mistral-array", "xlam-array"], header: "mistral-args" },
    special: true,
  },
  { open: "[unused11]", close: ["[unused12]"], families: { json: "pangu-array" }, special: true },
];

/** A wrapper whose opener is plain words: they count only where the pieces of `next` follow, white space aside. */
export interface HeadedRow extends BlockRow {
  readonly headers: readonly string[];
  readonly next: readonly string[];
}

export const ROLE_CALL: HeadedRow = {
  open: "role-call",
  headers: ["function call<|role_sep|>"],
  next: [],
  close: ["|message_sep|"],
  families: { json: "gigachat3" },
};
export const ROLE_HEADER_CALL: HeadedRow = {
  open: "role-call",
  headers: ["assistant -> tool/function_call\n"],
  next: [],
  close: ["|im_end|"],
  families: { json: "hyperclovax-role" },
};
export const FUNCTOOLS: HeadedRow = {
  open: "functools",
  headers: ["functools"],
  next: ["[", "{"],
  close: [],
  families: { json: "functools" },
};
export const FENCED_ACTION: HeadedRow = {
  open: "Action:",
  headers: ["Action:"],
  next: ["```json", "[", "{", '"tool_name"'],
  close: [],
  families: { json: "command-r-fenced" },
};

/** The tools that a family's own mark for program code means, whichever of them is offered. */
export const CODE_TOOLS: readonly string[] = ["python", "code_interpreter", "ipython"];
