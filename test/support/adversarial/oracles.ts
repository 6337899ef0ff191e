// How a hostile text is read in a test, and the named expectations about what it was read as.
import { expect } from "@jest/globals";
import type { FormatIssue } from "../../../src/core/events/issues.ts";
import type { JsonObject, ToolCall, ToolSpec } from "../../../src/core/messages.ts";
import { MultiFormatOutputParser } from "../../../src/formats/MultiFormatOutputParser.ts";
import type { ParserEvent, ParserOptions } from "../../../src/formats/state/ParserEvent.ts";

/** What a text was read as. */
export interface Heard {
  readonly source: string;
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly issues: readonly FormatIssue[];
  readonly dropped: readonly { readonly raw: string; readonly why: string }[];
}

export type Oracle = (heard: Heard) => void;

/** Characters that may be looked at for each character of the text. */
const LOOKS = 40;

/**
 * Reads a text whole and character by character, and holds both against what every text is promised: the same meaning in
 * both, every character accounted for once, bounded looks at each, no prototype touched, and an answer that serialises.
 */
export function read(text: string, tools: readonly ToolSpec[], options: Partial<ParserOptions> = {}): Heard {
  const prototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
  const whole = readPieces([text], tools, options);
  expect(readPieces(characters(text), tools, options)).toEqual(whole);
  expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(prototype);
  expect(JSON.parse(JSON.stringify(whole))).toBeDefined();
  return whole;
}

/** Long texts come by the character at both ends, where meaning changes, and by the handful between. */
function characters(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = at < EDGE || at >= text.length - EDGE ? 1 : Math.min(64, text.length - EDGE - at);
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

const EDGE = 50_000;

function readPieces(pieces: readonly string[], tools: readonly ToolSpec[], options: Partial<ParserOptions>): Heard {
  const parser = new MultiFormatOutputParser({
    tools,
    callsAllowed: true,
    toolMode: "native",
    formats: [],
    reasoningOpened: false,
    ids: { callId: () => "abcdefghi" },
    captureChars: 262_144,
    ...options,
  });
  const events = [...pieces.flatMap((piece) => parser.feed(piece)), ...parser.finish("stop")];
  const source = pieces.join("");
  expect(parser.inspected).toBeLessThanOrEqual(LOOKS * source.length + 1_000);
  return hear(source, events);
}

function hear(source: string, events: readonly ParserEvent[]): Heard {
  const content: string[] = [];
  const reasoning: string[] = [];
  const calls: ToolCall[] = [];
  const issues: FormatIssue[] = [];
  const dropped: { raw: string; why: string }[] = [];
  const conserved: string[] = [];
  for (const event of events) {
    conserved.push(charactersOf(event));
    if (event.type === "text") content.push(event.text);
    else if (event.type === "reasoning") reasoning.push(event.text);
    else if (event.type === "call") calls.push(event.call);
    else if (event.type === "issue") issues.push(event.issue);
    else addDropped(dropped, event.raw, event.why);
  }
  expect(conserved.join("") === source).toBe(true);
  return { source, content: content.join(""), reasoning: reasoning.join(""), calls, issues, dropped };
}

function charactersOf(event: ParserEvent): string {
  if (event.type === "call") return event.call.raw;
  if (event.type === "issue") return event.issue.raw ?? "";
  return event.type === "dropped" ? event.raw : event.text;
}

/** How a dropped stretch was cut up is no meaning. */
function addDropped(dropped: { raw: string; why: string }[], raw: string, why: string): void {
  const last = dropped.at(-1);
  if (last?.why === why) last.raw += raw;
  else dropped.push({ raw, why });
}

/** An offered tool; its parameters by their schemas. */
export function tool(name: string, properties: JsonObject = {}, more: JsonObject = {}): ToolSpec {
  return { name, parameters: { type: "object", properties, ...more } };
}

/** Exactly these calls in this order, and nothing refused. Arguments given as text must agree to the character. */
export function calls(...expected: readonly (readonly [name: string, args: string | JsonObject])[]): Oracle {
  return (heard) => {
    expect(heard.issues.filter((issue) => issue.code !== "stray-mark")).toEqual([]);
    expect(heard.calls.map((call) => call.name)).toEqual(expected.map(([name]) => name));
    expected.forEach(([, args], index) => {
      const text = heard.calls[index]?.arguments ?? "";
      if (typeof args === "string") expect(text).toBe(args);
      else expect(JSON.parse(text)).toEqual(args);
    });
  };
}

/** No call, nothing reported: the client reads the very text. */
export const textKept: Oracle = (heard) => {
  expect(heard.calls).toEqual([]);
  expect(heard.issues).toEqual([]);
  expect(heard.content === heard.source).toBe(true);
};

/** No call and no content: one issue of this code holds what the model wrote. */
export function refused(code: FormatIssue["code"], message = /./): Oracle {
  return (heard) => {
    expect(heard.calls).toEqual([]);
    expect(heard.issues.map((issue) => issue.code)).toEqual([code]);
    expect(heard.issues[0]?.message).toMatch(message);
    expect(heard.source.startsWith(heard.issues[0]?.raw ?? "?")).toBe(true);
    expect(heard.content).toBe("");
  };
}

/** Whatever it is read as, nothing may be called. */
export const noCall: Oracle = (heard) => expect(heard.calls).toEqual([]);

/** The visible text, to the character. */
export function content(text: string): Oracle {
  return (heard) => expect(heard.content).toBe(text);
}

export function reasoning(text: string): Oracle {
  return (heard) => expect(heard.reasoning).toBe(text);
}

/** These repairs were reported on the first call. */
export function repaired(...codes: readonly string[]): Oracle {
  return (heard) => expect(heard.calls[0]?.repairs).toEqual(codes);
}

/** Something was dropped for this reason, and it holds `part`. */
export function dropped(why: string, part: string): Oracle {
  return (heard) => expect(heard.dropped).toContainEqual({ raw: expect.stringContaining(part), why });
}

export function all(...oracles: readonly Oracle[]): Oracle {
  return (heard) => {
    for (const oracle of oracles) oracle(heard);
  };
}
