// Open and closed circuits by name, from the requests that failed under each name.
import { setBounded } from "../../core/async/setBounded.ts";

/** Number of consecutive requests that must fail to open a circuit, and the time for which it stays open. */
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;
/** Maximum number of stored names: they contain model names that callers choose. */
const MAX_NAMES = 1_000;

interface Circuit {
  /** Fingerprints of the requests that failed since the last success. */
  readonly failed: ReadonlySet<string>;
  /** Monotonic milliseconds until which nothing is tried. */
  readonly openUntil: number;
}

/** Times are monotonic milliseconds. */
export class CircuitStates {
  /** The longest untouched first. */
  readonly #circuits = new Map<string, Circuit>();

  /** True if no name has failed recently. */
  get isEmpty(): boolean {
    return this.#circuits.size === 0;
  }

  /** Milliseconds until the name may be tried; 0: now. */
  waitMs(name: string, now: number): number {
    const circuit = this.#circuits.get(name);
    return circuit && isOpen(circuit) ? Math.max(0, Math.ceil(circuit.openUntil - now)) : 0;
  }

  /** Records an attempt. For an open circuit it is the probe, and others are refused for a time. So a probe that never ends blocks nothing for ever. */
  tried(name: string, now: number): void {
    const circuit = this.#circuits.get(name);
    if (circuit && isOpen(circuit)) this.#circuits.set(name, { ...circuit, openUntil: now + OPEN_MS });
  }

  failed(name: string, fingerprint: string, now: number): void {
    const failed = [...new Set([...(this.#circuits.get(name)?.failed ?? []), fingerprint])];
    this.restore(name, { failed: new Set(failed.slice(-FAILURES_TO_OPEN)), openUntil: now + OPEN_MS });
  }

  /** Removes all failures. Returns the previous circuit, so that it can be restored. */
  succeeded(name: string): Circuit | undefined {
    const circuit = this.#circuits.get(name);
    this.#circuits.delete(name);
    return circuit;
  }

  restore(name: string, circuit: Circuit): void {
    setBounded(this.#circuits, { key: name, value: circuit, maxSize: MAX_NAMES });
  }

  /** The probe is being answered: others may come, and one further failure opens again. */
  answering(name: string): void {
    const circuit = this.#circuits.get(name);
    if (!circuit || !isOpen(circuit)) return;
    this.#circuits.set(name, { ...circuit, failed: new Set([...circuit.failed].slice(1)) });
  }

  /** Nothing was learnt, so the next may probe. */
  undecided(name: string, now: number): void {
    const circuit = this.#circuits.get(name);
    if (circuit && isOpen(circuit)) this.#circuits.set(name, { ...circuit, openUntil: now });
  }
}

function isOpen(circuit: Circuit): boolean {
  return circuit.failed.size >= FAILURES_TO_OPEN;
}
