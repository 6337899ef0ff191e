// Types of format specs: one object describes the markers, form, body and framing of one format.
import type { ChatTemplateSpec, ReasoningRow } from "./chatTemplates.ts";
import type { WrapperMark } from "./wrapperMarkers.ts";

export interface FormatSpec {
  /** Name in configuration, fixture folders and counters. */
  readonly id: string;
  /** Form that only this format has; absent: the form is shared, and the other members state the differences. */
  readonly form?: SoleForm;
  /** Markers that it puts around its calls, as grammars/wrapped reads them. */
  readonly wrappers?: readonly WrapperUse[];
  /** Plain text that opens a wrapper. */
  readonly announced?: Announcement;
  /** Its call elements, if their spelling alone identifies the format. */
  readonly elements?: ElementSpelling;
  /** Its pairs of key and value, if wrappers are shared. */
  readonly pairs?: PairSpelling;
  /** Role of each marker of a section, by canonical name. */
  readonly section?: Readonly<Record<string, SectionRole>>;
  /** Text after the opener of a section's call, if not the tool's name or type: an id, or an id that contains the name. */
  readonly sectionHead?: "id" | "named-id";
  /** Start of a call that begins with a sign and a name. */
  readonly head?: HeadSpelling;
  /** Marker before a brace literal, its closer, and the token that opens and closes a string. */
  readonly braces?: { readonly open: string; readonly close: string; readonly quote: string };
  /** Shapes without markers that it writes. They are accepted more readily from a model that is known for one. */
  readonly shapes?: readonly CallShape[];
  /** Shapes that count as this format if the model is known for no format with them. */
  readonly defaultOf?: readonly CallShape[];
  /** True if its JSON, requested between markers, means the same without them. */
  readonly unmarked?: boolean;
  /** True if its models write the bare word `thought` on a line before a call. */
  readonly wordThought?: boolean;
  readonly answers?: AnswerHabits;
  /** Its own framing and its own reasoning markers, by its id. `chatTemplates.ts` has those that several formats share. */
  readonly wire?: Omit<ChatTemplateSpec, "id">;
  readonly reasoning?: Omit<ReasoningRow, "id">;
}

/** Forms that only one format has, each with a reader of its own. */
export type SoleForm =
  /** `<invoke name="NAME">`: also the default for elements of an unknown format. */
  | "invoke"
  /** Each tag follows a token that makes a plain `<` in values data. */
  | "led-elements"
  /** JSON in `<function=NAME>`. */
  | "json-element"
  /** `<NAME>` with the tool's parameters as its children. */
  | "offered-element"
  /** `<tool>NAME</tool><tool_input>TEXT`. */
  | "tool-input"
  /** `<tool: LABEL>TEXT</tool>`. */
  | "tool-label"
  /** Python between `<code>` and `</code>`. */
  | "code-element"
  /** In a section: a type word before the separator, then the name and fenced JSON. */
  | "typed-section"
  /** In such a section, tags. */
  | "typed-elements"
  /** `<|channel|>commentary to=functions.NAME<|message|>{…}`. */
  | "framed"
  /** A section of messages, each with a recipient: `<|recipient|>NAME<|content|>{…}`. */
  | "recipient-section"
  /** `>>>NAME` and JSON on the next line. */
  | "recipient-line"
  /** `NAME` and a fence on the next line. */
  | "name-and-fence"
  /** `✿FUNCTION✿: NAME`. */
  | "flower-labels"
  /** `[[ ## NAME ## ]]`. */
  | "bracket-headers"
  /** `Thought:`, `Action:`, `Action Input:`. */
  | "labelled-lines"
  /** `call:NAME{k:v}`. */
  | "labelled-braces"
  /** `[TOOL_CALL]{tool => …}[/TOOL_CALL]`. */
  | "bracketed-braces"
  /** A Python call with `<bot_end>` after it. */
  | "closed-python"
  /** A fence of YAML. */
  | "yaml";

/** Kind of body by the first visible characters after a wrapper's opener. */
export type Dialect = "json" | "array" | "function" | "invoke" | "element" | "pairs" | "python" | "header";

interface WrapperUse {
  readonly mark: WrapperMark;
  /** Bodies that identify this format; `json` also stands for every dialect that no format names. */
  readonly holds?: readonly Dialect[];
  /** Bodies that identify this format if the model is known for it. */
  readonly mayHold?: readonly Dialect[];
  /** Namespaces or tokens before the marker's name that select this format for every body. */
  readonly prefixes?: readonly string[];
}

export interface Announcement {
  /** Reader that looks for it: at a role switch, at its header, at the label of a line, or at the first words of an answer. */
  readonly by: "role" | "role-header" | "label" | "module";
  /** Its name as a wrapper's. */
  readonly open: string;
  /** The text itself. */
  readonly header: string;
  /** The text counts only if these parts follow it in order, with optional white space between them. */
  readonly next: readonly string[];
  readonly close: readonly string[];
}

export interface ElementSpelling {
  /** Prefix of its tag names, inside a wrapper and outside. */
  readonly prefix?: string;
  /** As `prefix`, outside of wrappers only. */
  readonly loosePrefix?: string;
  /** Names of elements that it alone has. */
  readonly names?: readonly string[];
  /** Position of the tool's name in `<function>`, which identifies the format: `=NAME`, `name="NAME"`, or a child. */
  readonly function?: "value" | "name" | "child";
}

export interface PairSpelling {
  /** Text after the tool's name: a line's end, the first pair, or a separator. */
  readonly name?: "line" | "inline" | "separated";
  /** Suffix of its tags (`<tool_call:SUFFIX>`); `*` for any that no other format has. */
  readonly suffix?: string;
}

/** Head of a call without a bracketed marker, and the body after it, which is a JSON object. */
export interface HeadSpelling {
  /** Text before the name. */
  readonly open: string;
  /** Words, one of which may stand before that. */
  readonly before?: readonly string[];
  /** End of the name: the end of its line, the next sign, or a character that no name has. The last counts only for a tool's name. */
  readonly name: "line" | "sign" | "word";
  /** Separators that may stand between the name and the body. */
  readonly separators?: readonly string[];
  /** Maximum characters of other text that may stand there. */
  readonly noise?: number;
  /** Meaning of a call without an object: program code, a call without arguments, or text. */
  readonly without: "code" | "nothing" | "text";
  /** First characters of the text that ends a body that is no object. */
  readonly resume?: string;
}

/** Role of a marker in a section. */
export type SectionRole =
  /** Opens the group, or closes it. */
  | "section"
  | "section-end"
  /** Opens a call: the text after it is its head (a type word, an id or the name). */
  | "call"
  /** The head is over and the name follows. */
  | "name"
  /** The name is over: arguments follow, or (in one dialect) a name line and then arguments. */
  | "arguments"
  | "separator"
  /** A marker between parts without a meaning. */
  | "ignored"
  | "call-end";

export type CallShape = "json" | "fence" | "python" | "named-json" | "labelled";

interface AnswerHabits {
  /** Element that its models put around a complete answer without being asked. */
  readonly element?: string;
  /** Its prompts ask for an answer in a call's clothes. */
  readonly dressed?: boolean;
  /** True if its prompt asks for `{"response": "…"}`. In other formats the object itself may be meant. */
  readonly inResponse?: boolean;
}
