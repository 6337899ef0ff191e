// Coerces JSON to the schema by edits at spans. Unedited parts stay verbatim. Never wraps, rounds or invents values.

import { memoize } from "../../core/async/memoize.ts";
import type { JsonType } from "../../core/json/jsonTypes.ts";
import type { JsonValue } from "../../core/messages.ts";
import { type JsonMember, type JsonNode, parseStringSpan } from "../decoders/jsonTree.ts";
import { trimBlanks } from "../scanner/whitespace.ts";
import type { CompiledSchema } from "./CompiledSchema.ts";
import { convertValue, maxNumberLength, toIntegerLexeme } from "./conversions.ts";
import { matchNearNames, nameList } from "./resolveToolName.ts";
import { canonicalize, isOfType, type Literals, type Shape } from "./schemaAlternatives.ts";

/** Replaces `text.slice(start, end)`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Reason why a value does not fit. */
export interface Misfit {
  /** Path from the fitted value down; empty for the value itself. */
  readonly path: readonly string[];
  /** Expected and given value: `must be integer, got the string "x"`. */
  readonly problem: string;
}

export type Fit =
  | { readonly type: "fits"; readonly edits: readonly Edit[]; readonly repairs: readonly string[] }
  | { readonly type: "misfit"; readonly misfits: readonly Misfit[] };

/** State that is constant while one text is fitted. */
export interface Fitting {
  readonly text: string;
  readonly schema: CompiledSchema;
  /** Cache of canonical spellings: a value is compared with the lists of many alternatives. */
  readonly canonicalTexts: Map<JsonNode, string>;
  /** Steps left for the complete text. Parts of the schema beyond them are not checked. */
  readonly budget: { steps: number };
  /** The tool asked for its schema to the letter (`strict: true`). */
  readonly isStrict: boolean;
  /** True if a number with a fraction passes for an integer. */
  readonly allowsFractions: boolean;
  /** Number of further conversions of a value on the path down, including strings inside strings. */
  readonly conversions: number;
}

const STEPS_PER_LIST = 20;

const exactFit: Fit = { type: "fits", edits: [], repairs: [] };

/** Fits the value to its schema: with no edit if one alternative takes it as it is, else by the first that is reached without loss. */
export function coerceJson(node: JsonNode, schema: JsonValue, fitting: Fitting): Fit {
  const unsafeNumber = node.kind === "number" ? refuseUnsafeNumber(node, fitting) : undefined;
  if (unsafeNumber) return unsafeNumber;
  const shapes = fitting.schema.getShapes(schema);
  // One that takes every value of this kind: then the others need not be tried, which costs more.
  const isSimple = node.kind === "string" || node.kind === "boolean" || node.kind === "null";
  if (isSimple && shapes.some((shape) => !shape.literals && acceptsKind(shape, node, fitting))) return exactFit;
  if (shapes.length > 1 && isListed(node, shapes, fitting)) return exactFit;
  let best: Fit | undefined;
  let doesBestAcceptKind = false;
  for (const shape of shapes) {
    // No list contains the value: each is searched for a near miss, and the misfit is described.
    fitting.budget.steps -= shape.literals && shapes.length > 1 ? STEPS_PER_LIST : 1;
    if (fitting.budget.steps < 0) return exactFit;
    const doesAcceptKind = acceptsKind(shape, node, fitting);
    const fit = doesAcceptKind ? coerceInside(node, shape, fitting) : coerceKind(node, schema, shape, fitting);
    if (fit.type === "fits" && fit.edits.length === 0) return fit;
    // Among misfits, one of the right kind gives the more useful message.
    if (!best || (best.type === "misfit" && (fit.type === "fits" || (doesAcceptKind && !doesBestAcceptKind)))) {
      best = fit;
      doesBestAcceptKind = doesAcceptKind;
    }
  }
  if (best && (best.type === "fits" || doesBestAcceptKind || shapes.length === 1)) return best;
  return misfit(node, fitting, expectedTypes(shapes));
}

/** Returns true if one of the alternatives lists the value as it stands, or no steps are left to look. */
function isListed(node: JsonNode, shapes: readonly Shape[], fitting: Fitting): boolean {
  for (const shape of shapes) {
    if (!shape.literals) continue;
    if (--fitting.budget.steps < 0) return true;
    if (shape.literals.has(canonicalizeNode(node, fitting)) && acceptsKind(shape, node, fitting)) return true;
  }
  return false;
}

function canonicalizeNode(node: JsonNode, { text, canonicalTexts }: Fitting): string {
  return memoize(canonicalTexts, node, () => canonicalize({ text, node }));
}

/** Returns true if the alternative takes values of this kind. */
function acceptsKind({ types }: Shape, node: JsonNode, { text }: Fitting): boolean {
  if (!types || types.has(node.kind)) return true;
  return node.kind === "number" && types.has("integer") && isOfType({ text, node }, "integer");
}

/** A misfit for a number that readers turn into infinity or zero: it would arrive as another number. */
function refuseUnsafeNumber(node: JsonNode, fitting: Fitting): Fit | undefined {
  const lexeme = fitting.text.slice(node.start, node.end);
  if (lexeme.length > maxNumberLength)
    return misfit(node, fitting, `must be a number of at most ${maxNumberLength} digits`);
  const value = Number(lexeme);
  const becomesZero = value === 0 && /^[^eE]*[1-9]/.test(lexeme);
  if (Number.isFinite(value) && !becomesZero) return undefined;
  return misfit(node, fitting, "must be a number in the range of a double");
}

/** A value of the kind that the alternative takes. */
function coerceInside(node: JsonNode, shape: Shape, fitting: Fitting): Fit {
  if (shape.literals) return fitLiteral(node, shape.literals, fitting);
  if (node.kind === "object") return coerceMembers(node, shape, fitting);
  if (node.kind === "array") return coerceElements(node, shape, fitting);
  const isIntegerRequired = node.kind === "number" && shape.types?.has("integer") && !shape.types.has("number");
  const integerText = isIntegerRequired ? toIntegerLexeme(fitting.text.slice(node.start, node.end)) : undefined;
  return integerText === undefined ? exactFit : replaced(node, integerText, ["number-to-integer"]);
}

/** Compares a value of the right kind with the alternative's list. */
function fitLiteral(node: JsonNode, literals: Literals, fitting: Fitting): Fit {
  // A long text is read again for each alternative that lists values.
  fitting.budget.steps -= (node.end - node.start) >> 3;
  const { text } = fitting;
  if (literals.has(canonicalizeNode(node, fitting))) return exactFit;
  const [match, other] = node.kind === "string" ? literals.findSimilar(trimBlanks(parseStringSpan(text, node))) : [];
  if (match !== undefined && other === undefined) return replaced(node, JSON.stringify(match), ["enum-spelling"]);
  return misfit(node, fitting, `must be one of ${nameList(literals, literals.size)}`);
}

/** A value of another kind, converted and then fitted like one that was written so. */
function coerceKind(node: JsonNode, schema: JsonValue, shape: Shape, fitting: Fitting): Fit {
  // A long string may be opened for several alternatives, so opening costs by its length.
  fitting.budget.steps -= node.end - node.start;
  if (node.kind === "number" && shape.types?.has("integer") && fitting.allowsFractions) return fractionForInteger;
  const mayConvert = fitting.conversions > 0 && fitting.budget.steps > 0;
  const converted = mayConvert ? convertValue({ text: fitting.text, node }, shape) : undefined;
  if (!converted) return misfit(node, fitting, expectedTypes([shape]));
  const convertedFitting = { ...fitting, text: converted.text, conversions: fitting.conversions - 1 };
  const fit = coerceJson(converted.node, schema, convertedFitting);
  if (fit.type === "misfit") return fit;
  return replaced(node, applyEdits(converted.text, fit.edits), [...converted.repairs, ...fit.repairs]);
}

/** The operator knows that tool authors wrote `integer` and meant a number. The value stays, since rounding would change it. */
const fractionForInteger: Fit = { type: "fits", edits: [], repairs: ["fraction-for-integer"] };

function expectedTypes(shapes: readonly Shape[]): string {
  const types = collectTypes(shapes);
  return types.size > 0 ? `must be ${[...types].join(" or ")}` : "must be absent";
}

function collectTypes(shapes: readonly Shape[]): ReadonlySet<JsonType> {
  return new Set(shapes.flatMap(({ types }) => [...(types ?? [])]));
}

function coerceElements(node: JsonNode, shape: Shape, fitting: Fitting): Fit {
  const findings = new Findings();
  for (const [index, element] of node.elements.entries()) {
    const fit = coerceJson(element, shape.prefixItems[index] ?? shape.items ?? true, fitting);
    const mayBeRow = fit.type === "misfit" && element.kind === "array" && !fitting.isStrict;
    findings.add(mayBeRow ? wrapAndCoerce(element, shape, fitting) : fit, `${index}`);
    if (findings.isHopeless) break;
  }
  return findings.fit();
}

/** Accepts a table where the schema's author wrote a list: its inner lists fit the items, and nothing is lost (decisions/0006). */
function wrapAndCoerce(node: JsonNode, shape: Shape, fitting: Fitting): Fit {
  const fit = coerceElements(node, shape, fitting);
  return fit.type === "fits" ? { ...fit, repairs: [...fit.repairs, "deeper-array"] } : fit;
}

function coerceMembers(node: JsonNode, shape: Shape, fitting: Fitting): Fit {
  const { members } = node;
  const findings = new Findings();
  const isOpen = shape.properties.size === 0 || typeof shape.additional === "object";
  const renamed = isOpen ? undefined : matchNearNames(members, fitting.schema.getSpellings(shape));
  const last = new Map(members.map((member) => [renamed?.get(member.key) ?? member.key, member]));
  const dropped = new Set<JsonMember>();
  for (const member of members) {
    const key = renamed?.get(member.key) ?? member.key;
    const isTwin = last.size < members.length && last.get(key) !== member;
    if (isTwin || isAbsentValue(member, key, shape, fitting)) {
      dropped.add(member);
      findings.repair(isTwin ? "duplicate-key" : "null-dropped");
    } else findings.add(coerceMember(member, key, shape, fitting), key);
    if (findings.isHopeless) return findings.fit();
  }
  if (dropped.size > 0) findings.edit(createCuts(node, dropped));
  for (const key of shape.required) {
    if (!last.has(key)) findings.add(createMissingFit(key, shape, fitting), key);
    if (findings.isHopeless) break;
  }
  return findings.fit();
}

/** `null` for an optional parameter that does not accept it means that it is absent. */
function isAbsentValue({ value }: JsonMember, key: string, shape: Shape, fitting: Fitting): boolean {
  const schema = shape.properties.get(key);
  if (value.kind !== "null" || schema === undefined || shape.required.has(key)) return false;
  return !fitting.schema.getShapes(schema).some((one) => acceptsKind(one, value, fitting));
}

function coerceMember(member: JsonMember, key: string, shape: Shape, fitting: Fitting): Fit {
  const schema = shape.properties.get(key) ?? shape.additional ?? true;
  if (schema === false) {
    return refused(`is no parameter; known are: ${nameList(shape.properties.keys(), shape.properties.size)}`);
  }
  const fit = coerceJson(member.value, schema, fitting);
  if (fit.type === "misfit" || key === member.key) return fit;
  const keyEdit = { start: member.keyStart, end: member.keyEnd, text: JSON.stringify(key) };
  return { type: "fits", edits: [keyEdit, ...fit.edits], repairs: ["parameter-name", ...fit.repairs] };
}

function createMissingFit(key: string, shape: Shape, { schema: prepared }: Fitting): Fit {
  const schema = shape.properties.get(key);
  const types = collectTypes(schema === undefined ? [] : prepared.getShapes(schema));
  return refused(`is required${types.size > 0 ? ` (${[...types].join(" or ")})` : ""} and missing`);
}

/** Takes out members, each with one comma. */
function createCuts({ start, members }: JsonNode, dropped: ReadonlySet<JsonMember>): readonly Edit[] {
  const lastKeptIndex = members.findLastIndex((member) => !dropped.has(member));
  return members.flatMap((member, index) => {
    if (!dropped.has(member)) return [];
    const next = members[index + 1];
    if (index < lastKeptIndex && next) return [{ start: member.keyStart, end: next.keyStart, text: "" }];
    return [{ start: members[index - 1]?.value.end ?? start + 1, end: member.value.end, text: "" }];
  });
}

/** Sums the fits of many parts into one. */
class Findings {
  readonly #edits: Edit[] = [];
  readonly #repairs: string[] = [];
  readonly #misfits: Misfit[] = [];

  /** True if enough misfits were found for a report. */
  get isHopeless(): boolean {
    return this.#misfits.length >= maxMisfits;
  }

  /** `step`: key or index of the part. */
  add(fit: Fit, step: string): void {
    if (fit === exactFit) return;
    if (fit.type === "misfit") {
      for (const { path, problem } of fit.misfits) this.#misfits.push({ path: [step, ...path], problem });
      return;
    }
    this.edit(fit.edits);
    for (const repair of fit.repairs) this.repair(repair);
  }

  edit(edits: readonly Edit[]): void {
    for (const edit of edits) this.#edits.push(edit);
  }

  repair(code: string): void {
    if (!this.#repairs.includes(code)) this.#repairs.push(code);
  }

  fit(): Fit {
    if (this.#misfits.length > 0) return { type: "misfit", misfits: this.#misfits.slice(0, maxMisfits) };
    if (this.#edits.length === 0 && this.#repairs.length === 0) return exactFit;
    return { type: "fits", edits: this.#edits, repairs: this.#repairs };
  }
}

/** Maximum number of misfits in one message. */
const maxMisfits = 5;

function replaced({ start, end }: JsonNode, text: string, repairs: readonly string[]): Fit {
  return { type: "fits", edits: [{ start, end, text }], repairs };
}

function refused(problem: string): Fit {
  return { type: "misfit", misfits: [{ path: [], problem }] };
}

function misfit(node: JsonNode, { text }: Fitting, expected: string): Fit {
  const shown = text.slice(node.start, Math.min(node.end, node.start + shownChars));
  const given = `the ${node.kind} ${shown}${node.end - node.start > shownChars ? "…" : ""}`;
  return refused(`${expected}, got ${node.kind === "null" ? "null" : given}`);
}

/** Characters of a refused value that a message repeats. */
const shownChars = 80;

/** A text, or a stretch of it, with the edits inside it made; they do not overlap. */
export function applyEdits(
  text: string,
  edits: readonly Edit[],
  { start, end }: Omit<Edit, "text"> = { start: 0, end: text.length },
): string {
  const parts: string[] = [];
  let at = start;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(text.slice(at, end));
  return parts.join("");
}
