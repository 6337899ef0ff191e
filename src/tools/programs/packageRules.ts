// What managers of packages have in common.
import type { ProgramRow, Rule } from "./ProgramRow.ts";

const FETCHES = "fetches code that is named in its words, and may run it";
export const fetches = (given: Omit<Rule, "rule" | "why"> = {}): Rule => ({ rule: "code", why: FETCHES, ...given });
export const removes: ProgramRow = { rules: [{ rule: "delete", why: "removes packages from the machine" }] };
export const publishes: ProgramRow = {
  rules: [{ rule: "network", why: "publishes, or changes what is published", unless: "dry-run n" }],
};
export const fetchesAlways: ProgramRow = { rules: [fetches()] };
export const reads: ProgramRow = { reads: true };
