// What owners have that services want of them, for the moment of a call. Refuses to show it by accident: printed or turned into JSON it is a mask.

import type { JsonObject, JsonValue } from "../messages.ts";
import { findPlaceholders } from "../template/fillTemplate.ts";

export type CredentialsByName = Readonly<Record<string, string>>;

/** What a recording has in the place of a secret: the words of the redactor. */
const MASK = "[redacted]";

export class Credentials {
  readonly #byOwner: ReadonlyMap<string, CredentialsByName>;
  readonly #isMasked: boolean;

  constructor(byOwner: Iterable<readonly [string, CredentialsByName]> = [], isMasked = false) {
    this.#byOwner = new Map(byOwner);
    this.#isMasked = isMasked;
  }

  /** For a replay, which has no owner and sends nothing: whatever a template wants is the mask that the recording has. */
  masked(): Credentials {
    return new Credentials(this.#byOwner, true);
  }

  /**
   * The root `owner` of templates that are about to be filled for this owner.
   * @throws Error that names the first credential which a template needs and the owner has not, in words for a model.
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

  /** Whether any owner has a credential of this name. */
  has(name: string): boolean {
    return [...this.#byOwner.values()].some((credentials) => Object.hasOwn(credentials, name));
  }

  /** For the redactor, which must know what to look for. */
  reveal(): readonly string[] {
    return [...this.#byOwner.values()].flatMap((credentials) => Object.values(credentials));
  }

  toJSON(): string {
    return "[credentials]";
  }
}
