// One reader over one text that arrives in every way.
import { type Parser, Source } from "../../src/formats/scanner/Source.ts";

/** What a reader returned, and where its cursor stood then. */
export interface Outcome<T> {
  readonly value: T;
  readonly offset: number;
}

/** The outcomes of reading `text` whole, cut in two at each place, and character by character, each once: one where the arrival does not matter. */
export function everySplit<T>(text: string, read: (source: Source) => Parser<T>): readonly Outcome<T>[] {
  const cuts = Array.from({ length: text.length + 1 }, (_, cut) => [text.slice(0, cut), text.slice(cut)]);
  const outcomes = [[text], [...text], ...cuts].map((pieces) => readIn(pieces, read));
  return [...new Map(outcomes.map((outcome) => [JSON.stringify(outcome), outcome])).values()];
}

function readIn<T>(pieces: readonly string[], read: (source: Source) => Parser<T>): Outcome<T> {
  const source = new Source(4);
  const reading = keep(read(source));
  const { returned } = reading;
  const go = (): void => {
    do source.resume(reading.steps);
    while (source.nextSlice());
  };
  for (const piece of pieces) {
    source.append(piece);
    go();
  }
  source.endText();
  go();
  const [value] = returned;
  if (value === undefined) throw new Error("The reader has not returned.");
  return { value: value.value, offset: source.offset };
}

function keep<T>(reading: Parser<T>): { readonly returned: { readonly value: T }[]; readonly steps: Parser<void> } {
  const returned: { readonly value: T }[] = [];
  function* steps(): Parser<void> {
    returned.push({ value: yield* reading });
  }
  return { returned, steps: steps() };
}
