// The name of a run among those of all owners, for maps of this process. Is never stored.
import type { OwnedKey } from "../core/stores.ts";

export function nameOf({ owner, id }: OwnedKey): string {
  return JSON.stringify([owner, id]);
}
