// The keys of callers, each with the caller's name. Stores only digests.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { ApiKey } from "../../core/config/configuration.ts";
import { CALLER_RIGHTS, type Right } from "../../core/requests.ts";
import { identifier, key, listField } from "../fields.ts";

/** Default rights of a key. */
const USUAL_RIGHTS: readonly Right[] = ["ask", "decide"];

/**
 * Plain keys, named by position (`key-1` …), and `{name, key, can?}`. Keys with the same name belong to one caller, for
 * example an old and a new key, or keys with different rights.
 */
export function createApiKeysSchema() {
  const can = listField(z.enum(CALLER_RIGHTS), "rights").default([...USUAL_RIGHTS]);
  const named = z.strictObject({ name: identifier(), key: key(), can });
  const entry = z.union([key(), named], { error: "expected a key, or an object of a `name` and a `key`" });
  return listField(entry, "keys").transform((entries, context): readonly ApiKey[] => {
    const keys = entries.map((one, at) =>
      typeof one === "string" ? { name: `key-${at + 1}`, key: one, can: USUAL_RIGHTS } : one,
    );
    const duplicateIndex = keys.findIndex(
      ({ name }, at) => typeof entries[at] === "string" && keys.some((one, other) => other !== at && one.name === name),
    );
    if (duplicateIndex >= 0) {
      const message = `expected a name; without one this key is called ${keys[duplicateIndex]?.name}, as another is`;
      context.addIssue({ code: "custom", message, path: [duplicateIndex] });
    }
    const repeatedIndex = keys.findIndex(({ key }, at) => key !== "" && keys.findIndex((one) => one.key === key) < at);
    if (repeatedIndex >= 0) {
      const message = "expected a key that no other entry has: it would say two callers, or two lists of rights";
      context.addIssue({ code: "custom", message, path: [repeatedIndex] });
    }
    // An empty key is left out, so that a file can offer a variable that may be unset; `validateBind` does not count it.
    return keys.filter(({ key }) => key !== "").map(({ name, key, can }) => ({ name, can, digest: digest(key) }));
  });
}

function digest(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
