// What the bodies of one block become: calls, issues, or text again. Knows where bodies stand, not how their ends were found.
import type { CallCandidate } from "../../bodies/CallCandidate.ts";
import { decodeJson } from "../../bodies/decodeJson.ts";
import type { Dialect } from "../../families/FamilyRow.ts";
import { namelessWords, toolOfBareArguments } from "../../fitting/fitCall.ts";
import { Capture } from "../../turn/Capture.ts";
import { type DecodedBody, decodeBody } from "../../turn/decodeBody.ts";
import type { Turn } from "../../turn/Turn.ts";
import type { WrappedFamilies } from "./WrappedFamilies.ts";

/** A call whose JSON or Python body waits for the block's end. */
interface Body {
  readonly from: number;
  readonly to: number;
  readonly name?: string | undefined;
  readonly dialect: Dialect;
}

export class WrappedOutcome {
  readonly #turn: Turn;
  readonly #families: WrappedFamilies;
  #bodies: Body[] = [];
  /** What has been read since the last call or issue of the block. */
  #capture: Capture;

  constructor(turn: Turn, families: WrappedFamilies) {
    this.#turn = turn;
    this.#families = families;
    this.#capture = new Capture(turn);
  }

  /** Whether bodies wait for the block's end. */
  get isPending(): boolean {
    return this.#bodies.length > 0;
  }

  add(body: Body): void {
    this.#bodies.push(body);
  }

  /** Forgets the bodies that wait. */
  clear(): void {
    this.#bodies = [];
  }

  /** Emits an array that begins at `from` and whose closing bracket was left out; false where it is none. */
  mend(from: number): boolean {
    const body = this.#turn.captured(from, this.#turn.source.offset).trim();
    const decoded = decodeBody(this.#turn, body.startsWith("[") ? `${body}]` : body, true);
    if (!decoded) return false;
    const repaired = decoded.candidates.map((one) => ({ ...one, repairs: [...one.repairs, "missing-bracket"] }));
    this.clear();
    this.calls(repaired, this.#families.of("json"));
    return true;
  }

  /** Decodes the bodies that were collected: calls, or, since they are one list, one issue if a part of it cannot be read. */
  settle(): void {
    const bodies = this.#bodies;
    this.#bodies = [];
    if (bodies.length === 0) return;
    const candidates: CallCandidate[] = [];
    let family: string | undefined;
    for (const body of bodies) {
      const text = this.#turn.captured(body.from, body.to);
      const read = body.name === undefined ? decodeBody(this.#turn, text, true) : headedBody(body.name, text);
      if (!read) {
        this.#unread(text);
        return;
      }
      const dialect = body.name === undefined && read.grammar === "python" ? "python" : body.dialect;
      family ??= this.#families.of(dialect);
      candidates.push(...read.candidates);
    }
    if (candidates.length > 0) this.calls(candidates, family ?? this.#families.of("json"));
  }

  /** The text ended inside a body; those before it are settled. */
  cutInside(): void {
    this.settle();
    this.cut(this.#families.of("json"));
  }

  /** The text ended before the block was complete: nothing in it is. */
  cutBefore(): void {
    this.clear();
    this.cut(this.#families.of("json"), "before this tool call was complete");
  }

  /** A body's brackets do not balance; those before it are settled. */
  unbalanced(): void {
    this.settle();
    this.malformed("The body of this tool call is not valid JSON: its brackets do not match.");
  }

  /** A body that is no call; arguments without a name can only be meant for the tool that they fit. */
  #unread(body: string): void {
    const json = decodeJson(body);
    const tool = json && toolOfBareArguments(json, this.#turn.options.tools);
    if (tool === undefined) {
      this.malformed(UNREAD);
      return;
    }
    const issue = {
      code: "malformed-call",
      message: namelessWords(tool),
      family: this.#families.of("json"),
      tool,
    } as const;
    this.#next((capture) => capture.issue(issue));
  }

  malformed(message: string, family = this.#families.of("json")): void {
    this.#next((capture) => capture.malformed(message, family));
  }

  calls(candidates: readonly CallCandidate[], family: string): void {
    this.#next((capture) => capture.calls(candidates, family));
  }

  /** The text ended in a call; `place` as for a capture. */
  cut(family: string, place?: string): void {
    this.#next((capture) => capture.cut(family, place));
  }

  /** The block is over: what is left of it is markup. */
  end(): void {
    if (!this.#capture.isOver) this.#capture.drop();
  }

  /** Nothing stands between its marks: a slip of markup, or words about them. */
  empty(isSlip: boolean): void {
    if (isSlip) this.#capture.drop("empty-block");
    else this.#capture.words();
  }

  #next(end: (capture: Capture) => void): void {
    end(this.#capture);
    this.#capture = new Capture(this.#turn);
  }

  /** The capture outgrew its limit, or a value in it is nested too deeply: nothing behind it is read. */
  overlong(family = this.#families.of("json")): void {
    this.clear();
    this.#next((capture) => capture.refused(family));
  }

  /** What follows the opener, which ends at `markEnd`, cannot be a call: prose about the mark, or, of some models, an answer between such marks. */
  refute(markEnd: number, isNoise: boolean): void {
    // Where what the mark announced has left, only the rest is text.
    const from = Math.max(this.#capture.start, markEnd);
    const isDropped = isNoise && from === markEnd;
    if (isDropped) this.#turn.source.back(markEnd);
    if (isDropped) this.#capture.drop();
    else this.#capture.words(from);
  }

  /** The mark, which ends at `markEnd`, announced a call, and words follow. */
  emptyMark(markEnd: number): void {
    this.#turn.source.back(markEnd);
    this.malformed("A tool call was announced and none followed.");
  }
}

const UNREAD = "The body of this tool call is not a JSON object with a name and arguments.";

/** The arguments of a call whose name stands before them. */
function headedBody(name: string, text: string): DecodedBody | undefined {
  const json = decodeJson(text);
  if (!json) return undefined;
  return {
    candidates: [{ name, arguments: { type: "json", value: json }, repairs: json.repairs }],
    grammar: "json",
  };
}
