// Evaluates an arithmetic expression by recursive descent, with its own functions and constants only.

/** Characters. */
const MAX_LENGTH = 1_000;
/** Levels of parentheses, functions, signs and powers. */
const MAX_DEPTH = 100;
/** Maximum size of an integer result in bits: some 1,200 digits. */
const MAX_BITS = 4_096;

/** Integers of any size stay exact; other numbers are floating point. */
type Value = bigint | number;

/**
 * The value as decimal text; floating-point results are rounded to 15 significant digits, so that 0.1 + 0.2 is 0.3. @throws
 * Error with a message for the model that names the fault and its position.
 */
export function evaluateArithmetic(expression: string): string {
  if (expression.length > MAX_LENGTH) throw new Error(`the expression is longer than ${MAX_LENGTH} characters.`);
  return show(new Evaluation(expression).run());
}

function show(value: Value): string {
  if (typeof value === "bigint") return value.toString();
  if (Number.isNaN(value)) throw new Error("the result is not a real number.");
  if (!Number.isFinite(value)) throw new Error("the result is too large.");
  return String(Number(value.toPrecision(15)));
}

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
  ["tau", 2 * Math.PI],
]);

const FUNCTIONS: ReadonlyMap<string, (...values: Value[]) => Value> = new Map<string, (...values: Value[]) => Value>([
  ["sqrt", unary(Math.sqrt)],
  ["cbrt", unary(Math.cbrt)],
  ["exp", unary(Math.exp)],
  ["ln", unary(Math.log)],
  ["log10", unary(Math.log10)],
  ["log2", unary(Math.log2)],
  ["sin", unary(Math.sin)],
  ["cos", unary(Math.cos)],
  ["tan", unary(Math.tan)],
  ["asin", unary(Math.asin)],
  ["acos", unary(Math.acos)],
  ["atan", unary(Math.atan)],
  ["floor", createIntegerFunction(Math.floor)],
  ["ceil", createIntegerFunction(Math.ceil)],
  ["trunc", createIntegerFunction(Math.trunc)],
  ["sign", unary(Math.sign)],
  ["abs", (value = 0) => (value < 0 ? negate(value) : value)],
  ["round", round],
  ["min", (...values) => values.reduce(smaller)],
  ["max", (...values) => values.reduce(larger)],
]);

/** Functions with more than one argument. */
const ARITIES: ReadonlyMap<string, number> = new Map([
  ["round", 2],
  ["min", Number.POSITIVE_INFINITY],
  ["max", Number.POSITIVE_INFINITY],
]);

/** One pass over one text: sum > product > sign > power > atom. */
class Evaluation {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): Value {
    const value = this.#sum();
    if (this.#peek() !== "") throw this.#unexpected("an operator");
    return value;
  }

  #sum(): Value {
    let value = this.#product();
    for (;;) {
      if (this.#take("+")) value = add(value, this.#product());
      else if (this.#take("-") || this.#take("−")) value = add(value, negate(this.#product()));
      else return value;
    }
  }

  #product(): Value {
    let value = this.#sign();
    for (;;) {
      if (this.#take("*") || this.#take("×") || this.#take("·")) value = multiply(value, this.#sign());
      else if (this.#take("/") || this.#take("÷")) value = divide(value, this.#sign());
      else if (this.#take("%")) value = remainder(value, this.#sign());
      else return value;
    }
  }

  #sign(): Value {
    if (this.#take("-") || this.#take("−")) return this.#deeper(() => negate(this.#sign()));
    if (this.#take("+")) return this.#deeper(() => this.#sign());
    return this.#power();
  }

  #power(): Value {
    const base = this.#atom();
    if (!this.#take("**") && !this.#take("^")) return base;
    return power(
      base,
      this.#deeper(() => this.#sign()),
    );
  }

  #atom(): Value {
    if (this.#take("(")) {
      const value = this.#deeper(() => this.#sum());
      if (!this.#take(")")) throw this.#unexpected(")");
      return value;
    }
    const number = this.#match(/(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y);
    if (number !== undefined) return readNumber(number.replaceAll("_", ""));
    const name = this.#match(/[A-Za-z][A-Za-z0-9]*/y);
    if (name === undefined) throw this.#unexpected("a number, a function or (");
    const constant = CONSTANTS.get(name.toLowerCase());
    return constant ?? this.#call(name);
  }

  #call(name: string): Value {
    const run = FUNCTIONS.get(name.toLowerCase());
    if (!run) throw new Error(`\`${name}\` is neither a function nor a constant of the calculator.`);
    if (!this.#take("(")) throw this.#unexpected("(");
    const values = this.#deeper(() => this.#list());
    if (!this.#take(")")) throw this.#unexpected(")");
    if (values.length > (ARITIES.get(name.toLowerCase()) ?? 1)) throw new Error(`${name} takes fewer values.`);
    return run(...values);
  }

  #list(): Value[] {
    const values = [this.#sum()];
    while (this.#take(",")) values.push(this.#sum());
    return values;
  }

  #deeper<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Error(`the expression is nested deeper than ${MAX_DEPTH} levels.`);
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #peek(): string {
    this.#match(/\s+/y, false);
    return this.#text[this.#at] ?? "";
  }

  #take(mark: string): boolean {
    this.#peek();
    if (!this.#text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }

  #match(pattern: RegExp, skipSpace = true): string | undefined {
    if (skipSpace) this.#peek();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #unexpected(expected: string): Error {
    const found = this.#peek();
    const where = found === "" ? "at the end" : `at character ${this.#at + 1}, before \`${found}\``;
    return new Error(`expected ${expected} ${where} of the expression.`);
  }
}

function readNumber(text: string): Value {
  return /^\d+$/.test(text) ? bounded(BigInt(text)) : Number(text);
}

function add(a: Value, b: Value): Value {
  return typeof a === "bigint" && typeof b === "bigint" ? a + b : tidy(Number(a) + Number(b));
}

function multiply(a: Value, b: Value): Value {
  return typeof a === "bigint" && typeof b === "bigint" ? bounded(a * b) : tidy(Number(a) * Number(b));
}

function divide(a: Value, b: Value): Value {
  if (Number(b) === 0) throw new Error("division by zero.");
  if (typeof a === "bigint" && typeof b === "bigint" && a % b === 0n) return a / b;
  return tidy(Number(a) / Number(b));
}

function remainder(a: Value, b: Value): Value {
  if (Number(b) === 0) throw new Error("division by zero.");
  return typeof a === "bigint" && typeof b === "bigint" ? a % b : tidy(Number(a) % Number(b));
}

function power(base: Value, exponent: Value): Value {
  if (typeof base !== "bigint" || typeof exponent !== "bigint" || exponent < 0n)
    return tidy(Number(base) ** Number(exponent));
  const bits = BigInt((base < 0n ? -base : base).toString(2).length);
  // Refused before the evaluation, because 9^9^9 would fill the memory. Powers of 1 and -1 do not grow.
  if (bits > 1n && bits * exponent > MAX_BITS * 2) throw new Error("the result is too large.");
  return bounded(base ** exponent);
}

function negate(value: Value): Value {
  return -value;
}

function smaller(a: Value, b: Value): Value {
  if (b < a) return b;
  return a;
}

function larger(a: Value, b: Value): Value {
  if (b > a) return b;
  return a;
}

function round(value: Value = 0, digits: Value = 0n): Value {
  const places = Number(digits);
  if (!Number.isInteger(places) || Math.abs(places) > 15)
    throw new Error("round takes a whole number of digits, -15 to 15.");
  if (typeof value === "bigint" && places >= 0) return value;
  // By the decimal text, because 1.005 * 100 is below 100.5 in floating point. Halves go away from zero.
  const shifted = Number(`${Math.abs(Number(value))}e${places}`);
  const rounded = Number(`${Math.floor(shifted + 0.5)}e${-places}`);
  if (!Number.isFinite(rounded)) return Number(value);
  return integral(value < 0 ? -rounded : rounded);
}

function unary(run: (value: number) => number): (...values: Value[]) => Value {
  return (value = 0) => integral(tidy(run(Number(value))));
}

function createIntegerFunction(run: (value: number) => number): (...values: Value[]) => Value {
  return (value = 0) => (typeof value === "bigint" ? value : integral(run(value)));
}

/** Integral floating-point results become exact integers, as far as floating point is exact. */
function integral(value: number): Value {
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Drops the noise beyond 15 digits at every step, so that (0.1 + 0.2) * 10 is 3. */
function tidy(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : value;
}

function bounded(value: bigint): bigint {
  if (value.toString(2).length > MAX_BITS) throw new Error("the result is too large.");
  return value;
}
