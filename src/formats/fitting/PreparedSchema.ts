// What is worked out of a schema once, before many values are fitted to it: alternatives, references, listed values, patterns. Sees no value.

import { targetOf } from "../../core/jsonPointer.ts";
import { isObject, type JsonObject, type JsonValue, own } from "../../core/messages.ts";
import { remembered } from "../../core/remembered.ts";
import { BoundedPattern, type StepBudget } from "./BoundedPattern.ts";
import { Spellings } from "./resolveName.ts";
import { anyShape, conjoin, Literals, listedBy, listOf, type Shape, shapeOf, stepsOf } from "./schemaTypes.ts";

/** The schema of a tool or an answer. What lies beyond its bounds (100,000 steps, 64 alternatives, 64 levels, foreign references) allows everything. */
export class PreparedSchema {
  readonly root: JsonObject;
  /** Whether a rule somewhere asks what the others have looked at. */
  readonly tracks: boolean;
  readonly #shapes = new Map<JsonObject, readonly Shape[]>();
  readonly #ownShapes = new Map<JsonObject, Shape>();
  readonly #spellings = new Map<Shape, Spellings>();
  readonly #references = new Map<string, JsonValue | undefined>();
  readonly #allowed = { const: new Map<JsonObject, Literals>(), enum: new Map<JsonObject, Literals>() };
  readonly #patterns = new Map<string, BoundedPattern | undefined>();
  #steps = 0;
  #patternRoom = MAX_PATTERNS;

  constructor(root: JsonObject) {
    this.root = root;
    this.tracks = JSON.stringify(root).includes('"unevaluated');
  }

  /** The alternatives of a schema inside the root, in its order; none: no value is allowed. */
  shapes(schema: JsonValue): readonly Shape[] {
    if (schema === false) return [];
    if (!isObject(schema)) return [anyShape];
    const known = this.#shapes.get(schema);
    return known ?? remembered(this.#shapes, schema, () => this.#expand(schema, []));
  }

  /** The properties of an alternative by their spelling. */
  spellings(shape: Shape): Spellings {
    return remembered(this.#spellings, shape, () => new Spellings(shape.properties.keys()));
  }

  /** What a reference inside the root leads to; undefined for any other, and for one that leads nowhere. */
  resolve(reference: string): JsonValue | undefined {
    return remembered(this.#references, reference, () => targetOf(this.root, reference));
  }

  /** What `const` or `enum` of a schema lists: looking a value up costs the same however many there are. */
  allowed(schema: JsonObject, keyword: "const" | "enum"): Literals {
    return remembered(this.#allowed[keyword], schema, () => Literals.of(listedBy(schema, keyword)));
  }

  /** `undefined`: a pattern that is not run. Making one ready costs steps as running it does. */
  pattern(source: string, budget: StepBudget): BoundedPattern | undefined {
    return remembered(this.#patterns, source, () => {
      const pattern = this.#patternRoom > 0 ? BoundedPattern.of(source) : undefined;
      const size = source.length + 2 * (pattern?.size ?? 0);
      this.#patternRoom -= size;
      budget.steps -= size;
      return pattern;
    });
  }

  /** `above`: the schemas that are being expanded, so that a reference to one of them ends. */
  #expand(schema: JsonValue, above: readonly JsonObject[]): readonly Shape[] {
    if (schema === false) return [];
    if (!isObject(schema) || above.includes(schema)) return [anyShape];
    this.#steps += STEPS_PER_SCHEMA;
    if (this.#steps > MAX_STEPS || above.length >= MAX_LEVELS) return [anyShape];
    const shape = this.#ownShape(schema);
    if (shape === anyShape) return [anyShape];
    const below = [...above, schema];
    const reference = own(schema, "$ref");
    let shapes: readonly Shape[] = [shape];
    if (typeof reference === "string") {
      shapes = this.#conjoin(shapes, this.#expand(this.resolve(reference) ?? true, below));
    }
    for (const part of listOf(own(schema, "allOf"))) shapes = this.#conjoin(shapes, this.#expand(part, below));
    for (const union of ["anyOf", "oneOf"]) {
      const ways = listOf(own(schema, union));
      if (ways.length > MAX_SHAPES) return [anyShape];
      const right = ways.flatMap((way) => this.#expand(way, below));
      if (ways.length > 0) shapes = this.#conjoin(shapes, right);
    }
    return shapes;
  }

  /** Made once, however many references lead to the schema; an empty schema allows everything. */
  #ownShape(schema: JsonObject): Shape {
    return remembered(this.#ownShapes, schema, () => {
      if (Object.keys(schema).length === 0) return anyShape;
      return shapeOf(schema, (keyword) => this.allowed(schema, keyword));
    });
  }

  /** Joining costs what the properties of both are. */
  #conjoin(left: readonly Shape[], right: readonly Shape[]): readonly Shape[] {
    if (right.length === 1 && right[0] === anyShape) return left;
    if (left.length * right.length > MAX_SHAPES) return [anyShape];
    this.#steps += right.length * stepsOf(left) + left.length * stepsOf(right);
    return this.#steps > MAX_STEPS ? [anyShape] : conjoin(left, right);
  }
}

const MAX_STEPS = 100_000;
const STEPS_PER_SCHEMA = 10;
const MAX_SHAPES = 64;
const MAX_LEVELS = 64;
/** Characters and instructions of all patterns of one schema that are made ready. */
const MAX_PATTERNS = 100_000;
