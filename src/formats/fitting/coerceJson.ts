// Typed JSON → what the schema wants, as edits at spans: what needs no mending keeps its very characters. Never wraps, rounds or invents.

import type { JsonMember } from "../bodies/jsonSpans.ts";
import { convert, fitLiteral, fitWholeNumber, refuseUnsafeNumber, takesKind } from "./coerceScalar.ts";
import {
  applyEdits,
  type Edit,
  type Fit,
  type Fitting,
  fits,
  type Misfit,
  misfit,
  type Place,
  replaced,
} from "./coercion.ts";
import { nameList } from "./nameList.ts";
import { nameMembers } from "./nameMembers.ts";
import type { SchemaReader, Shape } from "./schemaTypes.ts";

/** Fits the value at `place` to its schema: with no edit if one alternative takes it as it is, else by the first that is reached without loss. */
export function coerceJson(place: Place, fitting: Fitting): Fit {
  const unsafe = place.node.kind === "number" ? refuseUnsafeNumber(place, fitting.text) : undefined;
  if (unsafe) return unsafe;
  const shapes = fitting.reader.shapes(place.schema);
  if (shapes.some((shape) => takesAny(shape, place, fitting))) return fits;
  let best: Fit | undefined;
  let bestTakesKind = false;
  for (const shape of shapes) {
    if (--fitting.budget.steps < 0) return fits;
    const takes = takesKind(shape, place.node, fitting.text);
    const fit = takes ? coerceInside(place, shape, fitting) : coerceKind(place, shape, fitting);
    if (fit.type === "fits" && fit.edits.length === 0) return fit;
    // Among misfits the one of the right kind says more about what to mend.
    if (!best || (best.type === "misfit" && (fit.type === "fits" || (takes && !bestTakesKind)))) {
      best = fit;
      bestTakesKind = takes;
    }
  }
  if (best && (best.type === "fits" || bestTakesKind || shapes.length === 1)) return best;
  return misfit(place, fitting.text, expectedTypes(shapes));
}

/** Where the operator knows that authors wrote `integer` and meant a number: the value leaves as it is, for rounding would compute another. */
const fractionForInteger: Fit = { type: "fits", edits: [], repairs: ["fraction-for-integer"] };

function expectedTypes(shapes: readonly Shape[]): string {
  const types = new Set(shapes.flatMap((shape) => [...(shape.types ?? [])]));
  return types.size > 0 ? `must be ${[...types].join(" or ")}` : "must be absent";
}

/** Whether an alternative takes every value of this kind, so that the others need not be tried, which costs more. */
function takesAny(shape: Shape, { node }: Place, { text }: Fitting): boolean {
  const isSimple = node.kind === "string" || node.kind === "boolean" || node.kind === "null";
  return isSimple && !shape.literals && takesKind(shape, node, text);
}

function coerceInside(place: Place, shape: Shape, fitting: Fitting): Fit {
  const { node } = place;
  // A long text is read again for each alternative that lists values.
  if (shape.literals) fitting.budget.steps -= (node.end - node.start) >> 3;
  if (shape.literals) return fitLiteral(place, shape.literals, fitting.text);
  if (node.kind === "object") return coerceMembers(place, shape, fitting);
  if (node.kind === "array") return coerceElements(place, shape, fitting);
  const wantsInteger = shape.types?.has("integer") && !shape.types.has("number");
  return node.kind === "number" && wantsInteger ? fitWholeNumber(node, fitting.text) : fits;
}

/** A value of another kind, converted and then fitted like one that was written so. */
function coerceKind(place: Place, shape: Shape, fitting: Fitting): Fit {
  // A long string may be opened for several alternatives, so opening costs by its length.
  fitting.budget.steps -= place.node.end - place.node.start;
  if (place.node.kind === "number" && shape.types?.has("integer") && fitting.fractions) return fractionForInteger;
  const mayConvert = fitting.conversions > 0 && fitting.budget.steps > 0;
  const converted = mayConvert ? convert(place.node, shape, fitting.text) : undefined;
  if (!converted) return misfit(place, fitting.text, expectedTypes([shape]));
  const within = { ...fitting, text: converted.text, conversions: fitting.conversions - 1 };
  const fit = coerceJson({ ...place, node: converted.node }, within);
  if (fit.type === "misfit") return fit;
  return replaced(place.node, applyEdits(converted.text, fit.edits), [...converted.repairs, ...fit.repairs]);
}

function coerceElements(place: Place, shape: Shape, fitting: Fitting): Fit {
  const found = new Findings();
  for (const [index, node] of place.node.elements.entries()) {
    const schema = shape.prefixItems[index] ?? shape.items ?? true;
    const element = { node, schema, path: [...place.path, `${index}`] };
    const fit = coerceJson(element, fitting);
    found.add(
      fit.type === "misfit" && node.kind === "array" && !fitting.strict ? deeper(element, shape, fitting) : fit,
    );
    if (found.isHopeless) break;
  }
  return found.fit();
}

/** A table where the schema's author wrote a list: its rows fit the items, and nothing is lost by passing them on (decisions/0006). */
function deeper(element: Place, shape: Shape, fitting: Fitting): Fit {
  const rows = coerceElements(element, shape, fitting);
  return rows.type === "fits" ? { ...rows, repairs: [...rows.repairs, "deeper-array"] } : rows;
}

function coerceMembers(place: Place, shape: Shape, fitting: Fitting): Fit {
  const { members } = place.node;
  const found = new Findings();
  const names = nameMembers(members, shape, fitting.reader.spellings(shape));
  const last = new Map(members.map((member, index) => [names[index] ?? member.key, index]));
  const kept: number[] = [];
  for (const [index, member] of members.entries()) {
    const key = names[index] ?? member.key;
    if (last.get(key) !== index) found.repair("duplicate-key");
    else if (isAbsent(member, key, shape, fitting)) found.repair("null-dropped");
    else {
      kept.push(index);
      found.add(coerceMember(member, key, { place, shape, fitting }));
    }
    if (found.isHopeless) break;
  }
  for (const edit of cutMembers(place, kept)) found.edit(edit);
  const present = new Set(kept.map((index) => names[index]));
  for (const key of shape.required) {
    if (found.isHopeless) break;
    if (!present.has(key)) found.add(missing(place, key, shape, fitting.reader));
  }
  return found.fit();
}

/** `null` for an optional parameter that takes none says that it is absent. */
function isAbsent(member: JsonMember, key: string, shape: Shape, fitting: Fitting): boolean {
  const schema = shape.properties.get(key);
  if (member.value.kind !== "null" || schema === undefined || shape.required.has(key)) return false;
  return !fitting.reader.shapes(schema).some((one) => takesKind(one, member.value, fitting.text));
}

interface ObjectFitting {
  readonly place: Place;
  readonly shape: Shape;
  readonly fitting: Fitting;
}

function coerceMember(member: JsonMember, key: string, object: ObjectFitting): Fit {
  const { place, shape, fitting } = object;
  const path = [...place.path, key];
  const schema = shape.properties.get(key) ?? shape.additional ?? true;
  if (schema === false) {
    const known = nameList(shape.properties.keys(), shape.properties.size);
    return { type: "misfit", misfits: [{ path, problem: `is no parameter; known are: ${known}` }] };
  }
  const fit = coerceJson({ node: member.value, schema, path }, fitting);
  if (fit.type === "misfit" || key === member.key) return fit;
  const rename = { start: member.keyStart, end: member.keyEnd, text: JSON.stringify(key) };
  return { type: "fits", edits: [rename, ...fit.edits], repairs: ["parameter-name", ...fit.repairs] };
}

function missing(place: Place, key: string, shape: Shape, reader: SchemaReader): Fit {
  const schema = shape.properties.get(key);
  const types = new Set(schema === undefined ? [] : reader.shapes(schema).flatMap((one) => [...(one.types ?? [])]));
  const wanted = types.size > 0 ? ` (${[...types].join(" or ")})` : "";
  return { type: "misfit", misfits: [{ path: [...place.path, key], problem: `is required${wanted} and missing` }] };
}

/** Takes out the members that are not kept, each with one comma. */
function cutMembers(place: Place, kept: readonly number[]): readonly Edit[] {
  const { members } = place.node;
  if (kept.length === members.length) return [];
  const keeps = new Set(kept);
  const lastKept = kept.at(-1) ?? -1;
  return members.flatMap((member, index) => {
    if (keeps.has(index)) return [];
    const next = members[index + 1];
    if (index < lastKept && next) return [{ start: member.keyStart, end: next.keyStart, text: "" }];
    const before = members[index - 1];
    return [{ start: before ? before.value.end : place.node.start + 1, end: member.value.end, text: "" }];
  });
}

/** Sums the fits of many parts into one. */
class Findings {
  readonly #edits: Edit[] = [];
  readonly #repairs = new Set<string>();
  readonly #misfits: Misfit[] = [];

  /** Enough is wrong to say so. */
  get isHopeless(): boolean {
    return this.#misfits.length >= maxMisfits;
  }

  add(fit: Fit): void {
    if (fit.type === "misfit") this.#misfits.push(...fit.misfits);
    else {
      for (const edit of fit.edits) this.#edits.push(edit);
      for (const repair of fit.repairs) this.#repairs.add(repair);
    }
  }

  edit(edit: Edit): void {
    this.#edits.push(edit);
  }

  repair(code: string): void {
    this.#repairs.add(code);
  }

  fit(): Fit {
    if (this.#misfits.length > 0) return { type: "misfit", misfits: this.#misfits.slice(0, maxMisfits) };
    return { type: "fits", edits: this.#edits, repairs: [...this.#repairs] };
  }
}

/** What one message tells at a time. */
const maxMisfits = 5;
