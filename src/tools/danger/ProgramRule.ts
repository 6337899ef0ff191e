// How a rule about one program is put together. Knows no program.
import type { CommandWords } from "./CommandWords.ts";
import type { Danger } from "./Danger.ts";

/** What speaks against a program with its words; undefined where nothing does. */
export type ProgramRule = (words: CommandWords, program: string) => Danger | undefined;

/** A program that is dangerous whatever its words are. `what` follows its name. */
export function danger(rule: Danger["rule"], what: string): ProgramRule {
  return (_, program) => ({ rule, reason: `\`${program}\` ${what}` });
}

/** Where a condition on its words makes a program dangerous. */
export function when(holds: (words: CommandWords) => boolean, rule: Danger["rule"], what: string): ProgramRule {
  return (words, program) => (holds(words) ? { rule, reason: `\`${program}\` ${what}` } : undefined);
}

/** The first of several. */
export function first(...rules: readonly ProgramRule[]): ProgramRule {
  return (words, program) => rules.map((rule) => rule(words, program)).find((found) => found !== undefined);
}
