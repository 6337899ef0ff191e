// Derives data of a schema once, before many values are fitted to it: alternatives, references, listed values, patterns.

import { memoize } from "../../core/async/memoize.ts";
import { resolvePointer } from "../../core/json/jsonPointer.ts";
import { getOwn, isObject, type JsonObject, type JsonValue, toItems } from "../../core/messages.ts";
import { LinearRegExp, type StepBudget } from "./LinearRegExp.ts";
import { Spellings } from "./resolveToolName.ts";
import {
  anyShape,
  countSteps,
  intersectShapes,
  Literals,
  readListedValues,
  type Shape,
  toShape,
} from "./schemaAlternatives.ts";

/** The schema of a tool or an answer. What lies beyond its bounds (100,000 steps, 64 alternatives, 64 levels, foreign references) allows everything. */
export class CompiledSchema {
  readonly root: JsonObject;
  /** True if a rule in the schema depends on the members that others evaluated. */
  readonly tracksSteps: boolean;
  readonly #shapes = new Map<JsonObject, readonly Shape[]>();
  readonly #ownShapes = new Map<JsonObject, Shape>();
  readonly #spellings = new Map<Shape, Spellings>();
  readonly #references = new Map<string, JsonValue | undefined>();
  readonly #allowedLiterals = { const: new Map<JsonObject, Literals>(), enum: new Map<JsonObject, Literals>() };
  readonly #patterns = new Map<string, LinearRegExp | undefined>();
  #steps = 0;
  #patternBudget = MAX_PATTERNS;

  constructor(root: JsonObject) {
    this.root = root;
    this.tracksSteps = JSON.stringify(root).includes('"unevaluated');
  }

  /** The alternatives of a schema inside the root, in its order; none: no value is allowed. */
  getShapes(schema: JsonValue): readonly Shape[] {
    if (schema === false) return [];
    if (!isObject(schema)) return [anyShape];
    const cached = this.#shapes.get(schema);
    return cached ?? memoize(this.#shapes, schema, () => this.#expandSchema(schema, []));
  }

  /** The properties of an alternative by their spelling. */
  getSpellings(shape: Shape): Spellings {
    return memoize(this.#spellings, shape, () => new Spellings(shape.properties.keys()));
  }

  /** Returns the target of a reference inside the root; undefined if it is outside or has no target. */
  resolve(reference: string): JsonValue | undefined {
    return memoize(this.#references, reference, () => resolvePointer(this.root, reference));
  }

  /** Returns the values that `const` or `enum` of a schema lists. The cost of a lookup does not depend on their number. */
  getAllowedLiterals(schema: JsonObject, keyword: "const" | "enum"): Literals {
    return memoize(this.#allowedLiterals[keyword], schema, () =>
      Literals.fromValues(readListedValues(schema, keyword)),
    );
  }

  /** `undefined`: a pattern that is not run. Making one ready costs steps as running it does. */
  getPattern(source: string, budget: StepBudget): LinearRegExp | undefined {
    return memoize(this.#patterns, source, () => {
      const pattern = this.#patternBudget > 0 ? LinearRegExp.compile(source) : undefined;
      const size = source.length + 2 * (pattern?.size ?? 0);
      this.#patternBudget -= size;
      budget.steps -= size;
      return pattern;
    });
  }

  /** `above`: the schemas that are being expanded, so that a reference to one of them ends. */
  #expandSchema(schema: JsonValue, ancestors: readonly JsonObject[]): readonly Shape[] {
    if (schema === false) return [];
    if (!isObject(schema) || ancestors.includes(schema)) return [anyShape];
    this.#steps += STEPS_PER_SCHEMA;
    if (this.#steps > MAX_STEPS || ancestors.length >= MAX_LEVELS) return [anyShape];
    const shape = this.#getOwnShape(schema);
    if (shape === anyShape) return [anyShape];
    const path = [...ancestors, schema];
    const reference = getOwn(schema, "$ref");
    let shapes: readonly Shape[] = [shape];
    if (typeof reference === "string") {
      shapes = this.#intersectAll(shapes, this.#expandSchema(this.resolve(reference) ?? true, path));
    }
    for (const part of toItems(getOwn(schema, "allOf")))
      shapes = this.#intersectAll(shapes, this.#expandSchema(part, path));
    for (const union of ["anyOf", "oneOf"]) {
      const alternatives = toItems(getOwn(schema, union));
      if (alternatives.length > MAX_SHAPES) return [anyShape];
      const right = alternatives.flatMap((alternative) => this.#expandSchema(alternative, path));
      if (alternatives.length > 0) shapes = this.#intersectAll(shapes, right);
    }
    return shapes;
  }

  /** Made once, however many references lead to the schema; an empty schema allows everything. */
  #getOwnShape(schema: JsonObject): Shape {
    return memoize(this.#ownShapes, schema, () => {
      if (Object.keys(schema).length === 0) return anyShape;
      return toShape(schema, (keyword) => this.getAllowedLiterals(schema, keyword));
    });
  }

  /** Joining costs what the properties of both are. */
  #intersectAll(left: readonly Shape[], right: readonly Shape[]): readonly Shape[] {
    if (right.length === 1 && right[0] === anyShape) return left;
    if (left.length * right.length > MAX_SHAPES) return [anyShape];
    this.#steps += right.length * countSteps(left) + left.length * countSteps(right);
    return this.#steps > MAX_STEPS ? [anyShape] : intersectShapes(left, right);
  }
}

const MAX_STEPS = 100_000;
const STEPS_PER_SCHEMA = 10;
const MAX_SHAPES = 64;
const MAX_LEVELS = 64;
/** Characters and instructions of all patterns of one schema that are made ready. */
const MAX_PATTERNS = 100_000;
