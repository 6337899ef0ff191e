// Ends a model's answer at the first of the caller's stop texts, where the upstream will not. Knows no upstream.
import type { ModelEvent } from "../core/events.ts";

/**
 * The events up to the first stop text in the visible text, which itself is left out; then the end, with the reason `stop`.
 * A text that may still become a stop text is held. Leaving early closes the upstream's answer.
 */
export async function* cutAtStop(
  events: AsyncIterable<ModelEvent>,
  stops: readonly string[],
): AsyncGenerator<ModelEvent, void, undefined> {
  const wanted = stops.filter((stop) => stop !== "");
  let held = "";
  for await (const event of events) {
    if (event.type === "text") {
      const text = held + event.text;
      const at = firstOf(wanted, text);
      if (at >= 0) {
        if (at > 0) yield { type: "text", text: text.slice(0, at) };
        yield { type: "end", finishReason: "stop" };
        return;
      }
      held = text.slice(text.length - heldLength(wanted, text));
      yield { ...event, text: text.slice(0, text.length - held.length) };
      continue;
    }
    if (held !== "" && (event.type === "end" || event.type === "failed")) yield { type: "text", text: held };
    yield event;
  }
}

function firstOf(stops: readonly string[], text: string): number {
  const places = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return places.length > 0 ? Math.min(...places) : -1;
}

/** How much of the text's end is the beginning of a stop text. */
function heldLength(stops: readonly string[], text: string): number {
  return Math.max(0, ...stops.map((stop) => overlap(text, stop)));
}

function overlap(text: string, stop: string): number {
  let length = Math.min(text.length, stop.length - 1);
  while (length > 0 && !stop.startsWith(text.slice(text.length - length))) length -= 1;
  return length;
}
