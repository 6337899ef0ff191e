// Compiles a zod shape to a check that returns only true or false. It explains no fault and copies nothing; zod does both.

import type { z } from "zod";
import { memoize } from "../../core/async/memoize.ts";
import { isObject } from "../../core/messages.ts";

/** True only if the shape accepts the value unchanged; false in any doubt. */
export type Fits = (value: unknown) => boolean;

type Shape = z.core.$ZodType;
type Def = z.core.$ZodTypes["_zod"]["def"];
type CheckDef = z.core.$ZodChecks["_zod"]["def"] | z.core.$ZodCustomDef;

const known = new WeakMap<Shape, Fits>();
/** Checks of transforms, which zod cannot introspect. */
const told = new WeakMap<Shape, Fits>();

export function compileGuard(shape: Shape): Fits {
  return memoize(known, shape, () => compile(shape) ?? (() => false));
}

/** Registers which values a transform returns unchanged; zod knows only that it is a function. */
export function registerGuard(transform: Shape, fits: Fits): void {
  told.set(transform, fits);
}

/** Undefined if a part of the shape has an unsupported kind, or would change the value. */
function compile(shape: Shape): Fits | undefined {
  const def = shape._zod.def as Def;
  const base = compileKind(def);
  const checks = (def.checks ?? []).map((check) => compileCheck(check._zod.def as CheckDef));
  if (!base || !checks.every((check) => check !== undefined)) return undefined;
  return checks.reduce<Fits>((before, check) => (value) => before(value) && check(value), base);
}

function compileKind(def: Def): Fits | undefined {
  switch (def.type) {
    case "string":
      return "coerce" in def && def.coerce ? undefined : (value) => typeof value === "string";
    case "number":
      return compileNumber(def);
    case "boolean":
      return def.coerce ? undefined : (value) => typeof value === "boolean";
    case "literal":
      return createEnumGuard(def.values);
    case "enum":
      return createEnumGuard(Object.values(def.entries));
    case "custom":
      return (value) => Boolean(def.fn(value));
    case "nullable":
      return unless(null, compile(def.innerType));
    case "optional":
      return optionalFits(def.innerType);
    case "array":
      return compileList(def);
    case "object":
      return def.catchall?._zod.def.type === "unknown" ? objectFits(def.shape) : undefined;
    case "union":
      return unionFits(def);
    case "pipe":
      return told.get(def.out);
    default:
      return undefined;
  }
}

function compileNumber(def: z.core.$ZodNumberDef | z.core.$ZodNumberFormatDef): Fits | undefined {
  if (def.coerce) return undefined;
  if (!("format" in def)) return Number.isFinite;
  return def.format === "safeint" ? Number.isSafeInteger : undefined;
}

function compileList({ element }: z.core.$ZodArrayDef): Fits | undefined {
  const fits = compile(element);
  return fits && listFits(fits);
}

function compileCheck(def: CheckDef): Fits | undefined {
  switch (def.check) {
    case "greater_than":
      return (value) => (value as typeof def.value) > def.value || (def.inclusive && value === def.value);
    case "less_than":
      return (value) => (value as typeof def.value) < def.value || (def.inclusive && value === def.value);
    case "min_length":
      return (value) => (value as string | readonly unknown[]).length >= def.minimum;
    case "max_length":
      return (value) => (value as string | readonly unknown[]).length <= def.maximum;
    case "string_format":
      return def.format === "regex" ? matches(def.pattern) : undefined;
    case "custom":
      return (value) => Boolean(def.fn(value));
    default:
      return undefined;
  }
}

function matches(pattern: RegExp | undefined): Fits | undefined {
  // A global or sticky pattern has state, so it is not supported.
  return pattern && !pattern.global && !pattern.sticky ? (value) => pattern.test(value as string) : undefined;
}

function createEnumGuard(values: readonly unknown[]): Fits {
  return (value) => values.includes(value);
}

function unless(exempt: null | undefined, fits: Fits | undefined): Fits | undefined {
  return fits && ((value) => value === exempt || fits(value));
}

/** `nullish` is an optional nullable; one check covers both. */
function optionalFits(inner: Shape): Fits | undefined {
  const def = inner._zod.def as Def;
  if (def.type !== "nullable" || def.checks?.length) return unless(undefined, compile(inner));
  const fits = compile(def.innerType);
  return fits && ((value) => value === undefined || value === null || fits(value));
}

/** Returns a check that is true if the value is an array whose items all pass `fits`. */
export function listFits(fits: Fits): Fits {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (let at = 0; at < value.length; at += 1) if (!fits(value[at])) return false;
    return true;
  };
}

interface Member {
  readonly fits: Fits;
  /** 1 if the member is required. */
  readonly needed: 0 | 1;
}

function objectFits(shape: Readonly<Record<string, Shape>>): Fits | undefined {
  const members = new Map<string, Member>();
  let needed = 0;
  for (const [name, member] of Object.entries(shape)) {
    const fits = compile(member);
    if (!fits) return undefined;
    members.set(name, { fits, needed: fits(undefined) ? 0 : 1 });
    needed += fits(undefined) ? 0 : 1;
  }
  return (value) => {
    if (!isObject(value)) return false;
    let missing = needed;
    // Iterates over the present members: a body has few of the possible ones.
    for (const name in value) {
      const member = members.get(name);
      // zod drops a member of this name, which would set the prototype of a copy.
      if (member ? !member.fits(value[name]) : name === "__proto__") return false;
      if (member) missing -= member.needed;
    }
    return missing === 0;
  };
}

function anyFits(options: readonly Fits[], value: unknown): boolean {
  for (const fits of options) if (fits(value)) return true;
  return false;
}

function unionFits(def: z.core.$ZodUnionDef | z.core.$ZodDiscriminatedUnionDef): Fits | undefined {
  const options = def.options.map(compile);
  if (!options.every((option) => option !== undefined)) return undefined;
  if (!("discriminator" in def)) return (value) => anyFits(options, value);
  const { discriminator } = def;
  const byName = new Map<unknown, Fits>();
  for (const [at, option] of def.options.entries()) {
    const fits = options[at];
    for (const name of option._zod.propValues?.[discriminator] ?? []) if (fits) byName.set(name, fits);
  }
  return (value) => isObject(value) && (byName.get(value[discriminator])?.(value) ?? false);
}
