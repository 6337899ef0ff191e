// An OpenAPI document by its places: what stands where, followed through `$ref`s within it, and what is wrong with it. Knows no object of OpenAPI.
import { resolvePointer } from "../../core/json/jsonPointer.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";

/** What a place of the document holds. */
export interface LocatedNode {
  readonly value: JsonObject;
  /** A JSON pointer as in `#/paths/~1orders/get`. */
  readonly at: string;
}

/** References that lead to references. */
const MOST_STEPS = 32;
/** Faults that are told; a document that is unfit as a whole has hundreds. */
const MOST_FAULTS = 20;

export class OpenApiDocument {
  readonly root: JsonObject;
  readonly #name: string;
  readonly #faults = new Set<string>();

  /** @param name what the file is called in faults. */
  constructor(root: JsonObject, name: string) {
    this.root = root;
    this.#name = name;
  }

  fail(at: string, message: string): void {
    this.#faults.add(`${this.#name}${at}: ${message}`);
  }

  /** A line for each, the place first. */
  get faults(): readonly string[] {
    const all = [...this.#faults];
    const more = all.length - MOST_FAULTS;
    return more > 0 ? [...all.slice(0, MOST_FAULTS), `${this.#name}: ${more} more faults as these`] : all;
  }

  /** The object that stands there, or where its `$ref`s lead; undefined where there is none. A reference that leads nowhere is a fault. */
  follow(value: JsonValue | undefined, at: string): LocatedNode | undefined {
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

/** The pointer of what stands under a key of what `at` points to. */
export function joinPointer(at: string, ...keys: readonly (string | number)[]): string {
  return [at, ...keys.map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"))].join("/");
}

/** The members of an object, or none. */
export function listEntries(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The items of a list, or none. */
export function toItems(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
