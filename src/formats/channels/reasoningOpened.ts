// Whether a prompt ends inside a reasoning block, so that the model's text starts there. Reads prompts, never model text.
import { REASONING } from "../families/tables.ts";

interface MarkPair {
  readonly open: readonly string[];
  readonly close: readonly string[];
}

/** Channel headers that prompts write and that are no marks of a text: they are framing there. */
const CHANNELS: readonly MarkPair[] = [
  { open: ["<|channel|>analysis<|message|>"], close: ["<|end|>"] },
  { open: ["<|open|>think<|sep|>"], close: ["<|close|>think<|sep|>"] },
];

const MARKS: readonly MarkPair[] = [
  ...CHANNELS,
  ...REASONING.map(({ open, close, word = "" }) => ({
    open: open.map((mark) => spelled(mark) + word),
    close: close.map(spelled),
  })),
];

/** The last mark decides: what stands before it has been closed or answered. */
export function reasoningOpenedBy(generationPrompt: string): boolean {
  const prompt = generationPrompt.replace(DECORATED_THINK, "<$1think>");
  const last = (marks: readonly string[]) => Math.max(...marks.map((mark) => prompt.lastIndexOf(mark)));
  return last(MARKS.flatMap(({ open }) => open)) > last(MARKS.flatMap(({ close }) => close));
}

/** `<seed:think>`, `<ifm|think>`, `<think:high>`: the vendor's prefix or suffix changes nothing. */
const DECORATED_THINK = /<(\/?)(?:\w{1,32}[:|])?think(?::\w{1,32})?>/g;

/** The table names tags without their angle brackets; sentences and bracket marks stand for themselves. */
function spelled(mark: string): string {
  return /^[/|\w]+$/.test(mark) ? `<${mark}>` : mark;
}
