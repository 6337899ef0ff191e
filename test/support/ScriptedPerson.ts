// A person whose answers are written down beforehand. Sees what it is asked.
import type { Choice, Editing, Prompter, Showing, Writing } from "../../src/cli/prompts/Prompter.ts";

/** The label of an option, or a text; undefined: the person leaves. */
export type ScriptedAnswer = string | undefined;

export class ScriptedPerson implements Prompter {
  readonly shown: Showing[] = [];
  readonly asked: (Choice | Writing | Editing)[] = [];
  readonly #answers: ScriptedAnswer[];

  constructor(...answers: readonly ScriptedAnswer[]) {
    this.#answers = [...answers];
  }

  get left(): number {
    return this.#answers.length;
  }

  async choose(question: Choice): Promise<number | undefined> {
    const answer = this.#next(question);
    if (answer === undefined) return undefined;
    const at = question.options.findIndex((option) => option.startsWith(answer));
    if (at < 0) throw new Error(`${JSON.stringify(answer)} is none of: ${question.options.join(" | ")}`);
    return at;
  }

  async write(question: Writing): Promise<string | undefined> {
    return this.#next(question);
  }

  async edit(question: Editing): Promise<string | undefined> {
    return this.#next(question);
  }

  show(what: Showing): void {
    this.shown.push(what);
  }

  #next(question: Choice | Writing | Editing): ScriptedAnswer {
    this.asked.push(question);
    if (this.#answers.length === 0) throw new Error(`Nobody expected to be asked: ${JSON.stringify(question)}`);
    return this.#answers.shift();
  }
}
