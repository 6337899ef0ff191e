// Access to an OpenAPI document by JSON pointers: follows `$ref`s within it and collects faults.
import { resolvePointer } from "../../core/json/jsonPointer.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";

/** A value of the document with its position. */
export interface LocatedNode {
  readonly value: JsonObject;
  /** A JSON pointer as in `#/paths/~1orders/get`. */
  readonly at: string;
}

/** References that lead to references. */
const MOST_STEPS = 32;
/** Maximum number of reported faults; an invalid document has hundreds. */
const MOST_FAULTS = 20;

export class OpenApiDocument {
  readonly root: JsonObject;
  readonly #name: string;
  readonly #faults = new Set<string>();

  /** @param name name of the file in faults. */
  constructor(root: JsonObject, name: string) {
    this.root = root;
    this.#name = name;
  }

  fail(at: string, message: string): void {
    this.#faults.add(`${this.#name}${at}: ${message}`);
  }

  /** One line per fault, which begins with its position. */
  get faults(): readonly string[] {
    const all = [...this.#faults];
    const more = all.length - MOST_FAULTS;
    return more > 0 ? [...all.slice(0, MOST_FAULTS), `${this.#name}: ${more} more faults as these`] : all;
  }

  /**
   * The object at this position, or at the target of its `$ref`s; undefined if there is none. A dangling reference is a
   * fault.
   */
  resolveReference(value: JsonValue | undefined, at: string): LocatedNode | undefined {
    let stateRef = isObject(value) ? { value, at } : undefined;
    for (let step = 0; stateRef && typeof stateRef.value.$ref === "string"; step += 1) {
      const { at: from, value: holder } = stateRef;
      stateRef = step < MOST_STEPS ? this.#target(String(holder.$ref), from) : undefined;
      if (step === MOST_STEPS) this.fail(from, "expected a `$ref` that leads to what it means, not in a circle");
    }
    return stateRef;
  }

  #target(ref: string, from: string): LocatedNode | undefined {
    if (!ref.startsWith("#")) {
      this.fail(
        `${from}/$ref`,
        "expected a reference within this file (`#/…`): put all into one, as with `npx @redocly/cli bundle api.yaml -o bundled.yaml`",
      );
      return undefined;
    }
    const value = resolvePointer(this.root, ref);
    if (isObject(value)) return { value, at: ref };
    this.fail(`${from}/$ref`, `expected a place of this file; \`${ref.slice(0, 200)}\` is none`);
    return undefined;
  }
}

/** JSON pointer to a member of the value at `at`. */
export function joinPointer(at: string, ...keys: readonly (string | number)[]): string {
  return [at, ...keys.map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"))].join("/");
}

/** The members of an object, or none. */
export function listEntries(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return isObject(value) ? Object.entries(value) : [];
}
