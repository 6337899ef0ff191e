// Which family a body of a block belongs to, by its dialect and by the spelling of its marks. Reads no text.

import type { Dialect } from "../../families/FamilyRow.ts";
import { familyOfForm, familyOfPairs } from "../../families/tables.ts";
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
    const named = tag && row.namespaces.get(tag.prefix);
    if (named !== undefined) return named;
    const choice = row.families.get(dialect) ?? row.families.get("json") ?? [];
    return this.#formats.find((format) => choice.includes(format)) ?? choice[0] ?? row.open;
  }

  /** Families that share the pairs of a wrapper differ in what stands behind the name, and in the suffix of their tags. */
  ofPairs(separated: boolean, onLine: boolean): string {
    const family = this.of("pairs");
    const suffix = this.#open.tag?.suffix ?? "";
    if (suffix !== "") return familyOfPairs({ suffix }) ?? familyOfPairs({ suffix: "*" }) ?? family;
    if (separated) return familyOfPairs({ name: "separated" }) ?? family;
    return (family === familyOfPairs({ name: "line" }) && !onLine && familyOfPairs({ name: "inline" })) || family;
  }

  /** `lead`: the call's own mark is preceded by the lead token. */
  ofElement(tag: Tag, call: ElementCall, lead: boolean): string {
    if (lead) return LEAD_FAMILY;
    if (isNameChild(tag)) return this.of("element");
    if (tag.name === "function" && call.candidate?.arguments.type === "json") return familyOfForm("json-element");
    const dialect = nameOf(tag) === undefined ? "element" : (CALL_DIALECTS.get(tag.name) ?? "element");
    return familyOfCall(tag) ?? this.of(dialect);
  }
}

const LEAD_FAMILY = familyOfForm("led-elements");
const CALL_DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["function", "function"],
  ["invoke", "invoke"],
]);
