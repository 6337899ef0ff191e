// Runs the parser over given pieces and says what its events mean and whether they account for every character.
import type { ToolCall, ToolSpec } from "../../src/core/messages.ts";
import { MultiFormatOutputParser } from "../../src/formats/MultiFormatOutputParser.ts";
import type { ParserEvent, ParserOptions } from "../../src/formats/state/ParserEvent.ts";

/** Everything about a parser's run but the ids that it draws. */
export type ParserSetting = Omit<ParserOptions, "ids">;

/** What a text was parsed under. */
export interface Circumstances {
  readonly setting: ParserSetting;
  readonly finishReason: string | null;
}

export interface Meaning {
  readonly content: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly issues: readonly string[];
}

/** A parser whose call ids count from 1, so that two runs can be compared. */
export function countedParser(setting: ParserSetting): MultiFormatOutputParser {
  let calls = 0;
  const callId = (): string => `call_${++calls}`;
  return new MultiFormatOutputParser({ ...setting, ids: { callId } });
}

export function runParser(chunks: readonly string[], { setting, finishReason }: Circumstances): readonly ParserEvent[] {
  const parser = countedParser(setting);
  const events = chunks.flatMap((chunk) => parser.feed(chunk));
  return [...events, ...parser.finish(finishReason)];
}

/** The events of a text that is read whole, by a parser that is told nothing of its model but `formats`. */
export function eventsOf(
  text: string,
  tools: readonly ToolSpec[],
  formats: readonly string[] = [],
): readonly ParserEvent[] {
  const setting: ParserSetting = {
    tools,
    callsAllowed: true,
    toolMode: "native",
    formats,
    reasoningOpened: false,
    captureChars: 200_000,
  };
  return runParser([text], { setting, finishReason: "stop" });
}

export function callsIn(events: readonly ParserEvent[]): readonly ToolCall[] {
  return events.flatMap((event) => (event.type === "call" ? [event.call] : []));
}

export function meaningOf(events: readonly ParserEvent[]): Meaning {
  const joined = (type: "text" | "reasoning"): string | null =>
    events.map((event) => (event.type === type ? event.text : "")).join("") || null;
  return {
    content: joined("text"),
    reasoning: joined("reasoning"),
    calls: events.flatMap((event) =>
      event.type === "call" ? [{ name: event.call.name, arguments: event.call.arguments }] : [],
    ),
    issues: events.flatMap((event) => (event.type === "issue" ? [event.issue.code] : [])),
  };
}

/** The events with neighbours of one kind joined: equal for two runs exactly if they differ in nothing but the pieces. */
export function settledEvents(events: readonly ParserEvent[]): readonly ParserEvent[] {
  const settled: ParserEvent[] = [];
  for (const event of events) {
    const last = settled.at(-1);
    const joined = last && join(last, event);
    if (joined) settled[settled.length - 1] = joined;
    else settled.push(event);
  }
  return settled;
}

/** Undefined where the events' characters are the whole text, each once and in order; else where that is broken. */
export function lostCharacters(events: readonly ParserEvent[], text: string): string | undefined {
  let at = 0;
  for (const event of events) {
    const span = spanOf(event);
    if (span === undefined || span.text === "") continue;
    if (span.at !== at) return `${event.type} starts at ${span.at}, not at ${at}`;
    if (!text.startsWith(span.text, at)) return `${event.type} at ${at} is not what the text holds there`;
    at += span.text.length;
  }
  return at === text.length ? undefined : `the text goes on behind ${at}, where the events end`;
}

function join(last: ParserEvent, next: ParserEvent): ParserEvent | undefined {
  if ((last.type === "text" || last.type === "reasoning") && next.type === last.type)
    return (last.raw ?? next.raw) ? undefined : { ...last, text: last.text + next.text };
  if (last.type === "dropped" && next.type === "dropped" && last.why === next.why)
    return { ...last, raw: last.raw + next.raw };
  return undefined;
}

function spanOf(event: ParserEvent): { readonly at: number | undefined; readonly text: string } | undefined {
  switch (event.type) {
    case "text":
    case "reasoning":
      return { at: event.at, text: event.raw ?? event.text };
    case "call":
      return { at: event.at, text: event.call.raw };
    case "dropped":
      return { at: event.at, text: event.raw };
    case "issue":
      return event.issue.raw === undefined ? undefined : { at: event.issue.at, text: event.issue.raw };
    default:
      return event satisfies never;
  }
}
