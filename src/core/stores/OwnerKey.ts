// The key of a record of an owner.

/** Key of an owner's record. */
export interface OwnerKey {
  readonly owner: string;
  readonly id: string;
}

export function runKey({ owner, id }: OwnerKey): string {
  return JSON.stringify([owner, id]);
}
