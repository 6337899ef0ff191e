// Which family a body of a block belongs to, by its dialect and by the spelling of its marks. Reads no text.
import type { Dialect } from "../../families/blocks.ts";
import type { Tag } from "../../text/Tag.ts";
import { familyOfCall } from "../elements/callFamily.ts";
import { isNameChild, nameOf } from "../elements/callMarks.ts";
import type { ElementCall } from "../elements/taggedCall.ts";
import type { Wrapper } from "./Wrapper.ts";

export class WrappedFamilies {
  readonly #open: Wrapper;
  /** The families that the model is known to write. */
  readonly #formats: readonly string[];

  constructor(open: Wrapper, formats: readonly string[]) {
    this.#open = open;
    this.#formats = formats;
  }

  of(dialect: Dialect): string {
    const { row, tag, lead } = this.#open;
    if (lead) return LEAD_FAMILY;
    const named = tag && row.namespaces?.[tag.prefix];
    if (named !== undefined) return named;
    const choice = row.families[dialect] ?? row.families.json;
    if (typeof choice === "string") return choice;
    return this.#formats.find((format) => choice.includes(format)) ?? choice[0];
  }

  /** Families that share the pairs of a wrapper differ in what stands behind the name, and in the suffix of their tags. */
  ofPairs(separated: boolean, onLine: boolean): string {
    const family = this.of("pairs");
    const suffix = this.#open.tag?.suffix ?? "";
    if (suffix !== "") return suffix === "opensource" ? "hy-v3" : "hy-v4";
    if (separated) return "hy-v3";
    return family === "glm45" && !onLine ? "glm47" : family;
  }

  /** `lead`: the call's own mark is preceded by the lead token. */
  ofElement(tag: Tag, call: ElementCall, lead: boolean): string {
    if (lead) return LEAD_FAMILY;
    if (isNameChild(tag)) return this.of("element");
    if (tag.name === "function" && call.candidate?.arguments.type === "json") return "function-eq-json";
    const dialect = nameOf(tag) === undefined ? "element" : (CALL_DIALECTS.get(tag.name) ?? "element");
    return familyOfCall(tag) ?? this.of(dialect);
  }
}

const LEAD_FAMILY = "minimax-m3";
const CALL_DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["function", "function"],
  ["invoke", "invoke"],
]);
