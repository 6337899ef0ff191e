// Calls whose name stands outside their JSON, between marks: what each mark of such a family means. Data only.

/** What a mark of a section does. */
export type SectionRole =
  /** Opens the group, or closes it. */
  | "section"
  | "section-end"
  /** Opens a call: the text behind it is its head (a type word, an id or the name). */
  | "call"
  /** The head is over and the name follows. */
  | "name"
  /** The name is over: arguments follow, or (in one dialect) a name line and then arguments. */
  | "arguments"
  | "separator"
  /** A mark between pieces that means nothing. */
  | "ignored"
  | "call-end";

interface SectionRow {
  readonly family: string;
  readonly marks: Readonly<Record<string, SectionRole>>;
}

const SECTIONS: readonly SectionRow[] = [
  {
    family: "deepseek-v31",
    marks: {
      "|tool_calls_begin|": "section",
      "|tool_calls_end|": "section-end",
      "|tool_call_begin|": "call",
      "|tool_sep|": "separator",
      "|tool_call_end|": "call-end",
    },
  },
  {
    family: "kimi-k2",
    marks: {
      "|tool_calls_section_begin|": "section",
      "|tool_call_section_begin|": "section",
      "|tool_calls_section_end|": "section-end",
      "|tool_call_section_end|": "section-end",
      "|tool_call_argument_begin|": "arguments",
    },
  },
  {
    family: "solar-open",
    marks: {
      "|tool_calls|": "section",
      "|calls|": "section-end",
      "|tool_call:begin|": "call",
      "|tool_call:name|": "name",
      "|tool_call:args|": "arguments",
      "|tool_call:end|": "call-end",
    },
  },
  {
    family: "plamo3",
    marks: {
      "|plamo:begin_tool_requests:plamo|": "section",
      "|plamo:end_tool_requests:plamo|": "section-end",
      "|plamo:begin_tool_request:plamo|": "call",
      "|plamo:begin_tool_name:plamo|": "name",
      "|plamo:end_tool_name:plamo|": "ignored",
      "|plamo:begin_tool_arguments:plamo|": "arguments",
      "|plamo:end_tool_arguments:plamo|": "ignored",
      "|plamo:end_tool_request:plamo|": "call-end",
    },
  },
  {
    family: "functionary-v2",
    marks: { "|recipient|": "call", "|content|": "arguments", "|from|": "section", "|stop|": "section-end" },
  },
];

/** Role and family by mark; the marks that two families share belong to the first. */
export const SECTION_MARKS: ReadonlyMap<string, { readonly role: SectionRole; readonly family: string }> = new Map(
  SECTIONS.flatMap((row) =>
    Object.entries(row.marks).map(([mark, role]) => [mark, { role, family: row.family }] as const),
  ).reverse(),
);
