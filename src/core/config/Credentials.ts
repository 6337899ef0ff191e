// Credentials of owners for services. Printing or serialising them shows only a mask.

import type { JsonObject, JsonValue } from "../messages.ts";
import { findPlaceholders } from "../template/fillTemplate.ts";

export type CredentialsByName = Readonly<Record<string, string>>;

/** Mask of a secret in a recording, equal to the redactor's. */
const MASK = "[redacted]";

export class Credentials {
  readonly #byOwner: ReadonlyMap<string, CredentialsByName>;
  readonly #isMasked: boolean;

  constructor(byOwner: Iterable<readonly [string, CredentialsByName]> = [], isMasked = false) {
    this.#byOwner = new Map(byOwner);
    this.#isMasked = isMasked;
  }

  /** For a replay, which has no owner and sends nothing: every credential is the mask of the recording. */
  masked(): Credentials {
    return new Credentials(this.#byOwner, true);
  }

  /**
   * The value of `owner` for templates that are filled for this owner.
   * @throws Error, with a text for the model, that names the first missing credential of a template.
   */
  scopeFor(owner: string, templates: readonly JsonValue[]): JsonObject {
    const wanted = templates.flatMap(findPlaceholders).filter(({ root }) => root === "owner");
    if (this.#isMasked) return Object.fromEntries(wanted.map(({ path: [name = ""] }) => [name, MASK]));
    const scope = this.#byOwner.get(owner) ?? {};
    for (const { path, fallback } of wanted) {
      const [name = ""] = path;
      if (fallback !== undefined || Object.hasOwn(scope, name)) continue;
      throw new Error(
        `${owner} has no credential \`${name}\`, so nothing was sent; whoever runs the gateway can add it under \`owners\`.`,
      );
    }
    return scope;
  }

  /** Returns true if any owner has a credential of this name. */
  has(name: string): boolean {
    return [...this.#byOwner.values()].some((credentials) => Object.hasOwn(credentials, name));
  }

  /** The secrets, for the redactor. */
  reveal(): readonly string[] {
    return [...this.#byOwner.values()].flatMap((credentials) => Object.values(credentials));
  }

  toJSON(): string {
    return "[credentials]";
  }
}
