// Lookup tables for readers, prompts and documents, all derived from the format specs.

import {
  type ChatTemplateSpec,
  collectMarkers,
  REASONING_ROWS,
  type ReasoningRow,
  TEMPLATES,
} from "./chatTemplates.ts";
import { EXPRESSION_FORMATS } from "./expressions.ts";
import type {
  Announcement,
  CallShape,
  Dialect,
  ElementSpelling,
  FormatSpec,
  HeadSpelling,
  PairSpelling,
  SectionRole,
  SoleForm,
} from "./FormatSpec.ts";
import { HEADED_FORMATS } from "./headed.ts";
import { TAGGED_FORMATS } from "./tagged.ts";
import { UNMARKED_FORMATS } from "./unmarked.ts";
import { WRAPPED_FORMATS } from "./wrapped.ts";
import type { WrapperMark } from "./wrapperMarkers.ts";

/** All formats that Postel reads, in the order of the documents. */
export const FORMATS: readonly FormatSpec[] = [
  WRAPPED_FORMATS,
  HEADED_FORMATS,
  TAGGED_FORMATS,
  EXPRESSION_FORMATS,
  UNMARKED_FORMATS,
].flat();

export const FORMAT_IDS: ReadonlySet<string> = /* @__PURE__ */ new Set(/* @__PURE__ */ FORMATS.map(({ id }) => id));

function selectFormatIds(isSelected: (format: FormatSpec) => unknown): ReadonlySet<string> {
  return new Set(FORMATS.filter(isSelected).map(({ id }) => id));
}

/** Returns the format with this form. @throws Error if no spec has it. */
export function getFormatForForm(form: SoleForm): string {
  return getFormatSpec(form).id;
}

function getFormatSpec(form: SoleForm): FormatSpec {
  const spec = FORMATS.find((format) => format.form === form);
  if (!spec) throw new Error(`No family has the form ${form}.`);
  return spec;
}

/** One marker around calls, with all formats that write it. */
export interface WrapperRow extends WrapperMark {
  /** Formats by dialect: the first is used if the model is known for none of them; `json` for dialects that are not named. */
  readonly families: ReadonlyMap<Dialect, readonly string[]>;
  /** Format by the namespace before the marker's name. */
  readonly namespaces: ReadonlyMap<string, string>;
}

export const WRAPPERS: readonly WrapperRow[] = [
  ...Map.groupBy(
    FORMATS.flatMap(({ id, wrappers = [] }) => wrappers.map((use) => ({ id, ...use }))),
    ({ mark }) => mark,
  ),
].map(([marker, uses]) => ({
  ...marker,
  families: groupIds([
    ...uses.flatMap(({ id, holds = [] }) => holds.map((dialect) => [dialect, id] as const)),
    ...uses.flatMap(({ id, mayHold = [] }) => mayHold.map((dialect) => [dialect, id] as const)),
  ]),
  namespaces: new Map(uses.flatMap(({ id, prefixes = [] }) => prefixes.map((prefix) => [prefix, id] as const))),
}));

/** The ids that stand with each key, in their order. */
function groupIds<Key extends string>(pairs: readonly (readonly [Key, string])[]): ReadonlyMap<Key, readonly string[]> {
  const groups = Map.groupBy(pairs, ([key]) => key);
  return new Map([...groups].map(([key, group]) => [key, group.map(([, id]) => id)]));
}

/** A wrapper whose opener is plain text. */
export interface AnnouncedRow extends WrapperRow, Pick<Announcement, "header" | "next"> {}

/** Returns the wrapper whose text is looked for there. @throws Error if no spec has it. */
export function findAnnounced(by: Announcement["by"]): AnnouncedRow {
  const spec = FORMATS.find(({ announced }) => announced?.by === by);
  if (!spec?.announced) throw new Error(`No family is announced by ${by}.`);
  const { open, header, next, close } = spec.announced;
  return { open, header, next, close, families: new Map([["json", [spec.id]]]), namespaces: new Map() };
}

/** Everything that stands around calls, opening or closing. */
export const WRAPPER_NAMES: ReadonlySet<string> = new Set([
  ...WRAPPERS.flatMap((spec) => [spec.open, ...spec.close]).map((marker) => marker.replace(/^\//, "")),
  "use_mcp_tool",
  "|tool_calls_end|",
]);

/** Prefixes of a call's tag names outside a wrapper. */
export const LOOSE_PREFIXES: readonly string[] = FORMATS.flatMap(({ elements }) => elements?.loosePrefix ?? []);

const FORMATS_BY_SPELLING: ReadonlyMap<string, string> = new Map(
  FORMATS.flatMap(({ id, elements = {} }) =>
    Object.entries(elements).flatMap(([part, values]) =>
      [values].flat().map((value) => [`${part} ${value}`, id] as const),
    ),
  ),
);

/** Returns the only format with this spelling of elements (see `ElementSpelling`), or undefined. */
export function findElementFormat(part: keyof ElementSpelling, value: string): string | undefined {
  return FORMATS_BY_SPELLING.get(`${part} ${value}`);
}

/** Role and format by marker. Markers of two formats belong to the first. */
export const SECTION_MARKS: ReadonlyMap<string, { readonly role: SectionRole; readonly family: string }> = new Map(
  FORMATS.flatMap(({ id, section = {} }) =>
    Object.entries(section).map(([marker, role]) => [marker, { role, family: id }] as const),
  ).reverse(),
);

/** Head of a call, by the format of its section; see `FormatSpec.sectionHead`. */
export const SECTION_HEADS: ReadonlyMap<string, "id" | "named-id"> = new Map(
  FORMATS.flatMap(({ id, sectionHead }) => (sectionHead ? [[id, sectionHead] as const] : [])),
);

/** A call's head without a bracketed marker. */
export interface HeadedRow extends HeadSpelling {
  readonly family: string;
}

/** Returns the head of the form that only one format has. @throws Error if no spec has it. */
export function findHead(form: SoleForm): HeadedRow {
  const spec = getFormatSpec(form);
  if (!spec.head) throw new Error(`No family of the form ${form} has a head.`);
  return { family: spec.id, ...spec.head };
}

/** A call as a brace literal after a marker of its own. */
export interface BraceRow {
  readonly family: string;
  readonly open: string;
  readonly close: string;
  readonly quote: string;
}

export const BRACE_ROWS: readonly BraceRow[] = FORMATS.flatMap(({ id, braces }) =>
  braces ? [{ family: id, ...braces }] : [],
);

/** Shapes without markers that any format writes. */
export const KNOWN_SHAPES: readonly CallShape[] = [...new Set(FORMATS.flatMap(({ shapes = [] }) => shapes))];

/** Returns the formats of a shape without markers. The first names the call if the model is known for none of them. */
export function listFormatsWriting(shape: CallShape): readonly string[] {
  return FORMATS_BY_SHAPE.get(shape) ?? [];
}

const FORMATS_BY_SHAPE = groupIds([
  ...FORMATS.flatMap(({ id, defaultOf = [] }) => defaultOf.map((shape) => [shape, id] as const)),
  ...FORMATS.flatMap(({ id, shapes = [] }) => shapes.map((shape) => [shape, id] as const)),
]);

/** Formats whose call is JSON with its name, between markers of their own, and means the same without them. */
export const MARKED_JSON = selectFormatIds(({ unmarked }) => unmarked);

/** Formats whose models write the bare word `thought` before a call. */
export const WORD_THOUGHTS = selectFormatIds(({ wordThought }) => wordThought);

/** Formats whose models write pairs; for a tool without arguments, its name alone. */
export const PAIR_FAMILIES = selectFormatIds(({ pairs }) => pairs);

/** Returns the format of pairs with this spelling, or undefined. */
export function findPairFormat(spelling: PairSpelling): string | undefined {
  return FORMATS.find(
    ({ pairs }) =>
      pairs &&
      (spelling.name === undefined || pairs.name === spelling.name) &&
      (spelling.suffix === undefined || pairs.suffix === spelling.suffix),
  )?.id;
}

/** Elements around a complete answer, and the formats whose models write them without being asked. In other models they are requested sections. */
export const ANSWER_WRAPPERS: ReadonlyMap<string, readonly string[]> = groupIds(
  FORMATS.flatMap(({ id, answers }) => (answers?.element ? [[answers.element, id] as const] : [])),
);

/** Formats whose prompts request an answer in the form of a call. In text mode the prompt of any client may. */
export const DRESSED_ANSWERS = selectFormatIds(({ answers }) => answers?.dressed);

/** Formats whose prompt requests `{"response": "…"}`. In other formats the object itself may be meant. */
export const IN_RESPONSE = selectFormatIds(({ answers }) => answers?.inResponse);

/** All wires: framing of single formats, which comes first if markers are shared, and the chat templates. */
export const CHAT_TEMPLATES: readonly ChatTemplateSpec[] = [
  ...FORMATS.flatMap(({ id, wire }) => (wire ? [{ id, ...wire }] : [])),
  ...TEMPLATES,
];

/** Stop words that programs around a model ask it to write. */
const STOP_WORDS = ["end_code", "bot_end"];

/** All markers that frame messages or answers in any wire. */
export const FRAMING_MARKS: ReadonlySet<string> = new Set([...STOP_WORDS, ...CHAT_TEMPLATES.flatMap(collectMarkers)]);

/** Markers that end a turn of any wire. */
export const END_MARKERS: ReadonlySet<string> = new Set([...STOP_WORDS, ...CHAT_TEMPLATES.flatMap(({ ends }) => ends)]);

/** Markers after which no call continues. */
export const TURN_ENDS: ReadonlySet<string> = new Set([
  ...END_MARKERS,
  ...CHAT_TEMPLATES.flatMap(({ starts }) => starts.flatMap(({ mark, role }) => (role === "other" && mark ? mark : []))),
]);

/** All reasoning markers: those that many models write, and those of single formats. */
export const REASONING: readonly ReasoningRow[] = [
  ...REASONING_ROWS,
  ...FORMATS.flatMap(({ id, reasoning }) => (reasoning ? [{ id, ...reasoning }] : [])),
];

export const REASONING_OPENERS: ReadonlyMap<string, ReasoningRow> = new Map(
  REASONING.flatMap((spec) => spec.open.map((marker) => [marker, spec] as const)),
);
export const REASONING_CLOSERS: ReadonlyMap<string, ReasoningRow> = new Map(
  REASONING.flatMap((spec) => spec.close.map((marker) => [marker, spec] as const)),
);
