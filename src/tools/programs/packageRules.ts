// Rules that package managers share.
import type { ProgramRow, ProgramRule } from "./ProgramRow.ts";

const FETCHES = "fetches code that is named in its words, and may run it";
export const createFetchRule = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "code",
  why: FETCHES,
  ...given,
});
export const removes: ProgramRow = { rules: [{ rule: "delete", why: "removes packages from the machine" }] };
export const publishes: ProgramRow = {
  rules: [{ rule: "network", why: "publishes, or changes what is published", unless: "dry-run n" }],
};
export const fetchesAlways: ProgramRow = { rules: [createFetchRule()] };
export const reads: ProgramRow = { reads: true };
