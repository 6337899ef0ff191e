// The keys that callers present, each with the name of its caller. Keeps no key, only its digest.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { ApiKey } from "../core/configuration.ts";
import { identifier, key, listOf } from "./fields.ts";

/** Plain keys, named after their position (`key-1` …), and `{name, key}`. No two have one name, for a name is a caller. */
export function apiKeysSchema() {
  const named = z.strictObject({ name: identifier(), key: key() });
  const entry = z.union([key(), named], { error: "expected a key, or an object of a `name` and a `key`" });
  return listOf(entry, "keys").transform((entries, context): readonly ApiKey[] => {
    const keys = entries.map((one, at) => (typeof one === "string" ? { name: `key-${at + 1}`, key: one } : one));
    const names = keys.map(({ name }) => name);
    const twice = names.findIndex((name, at) => names.indexOf(name) < at);
    if (twice >= 0) {
      const message = `expected a name of its own; another key is called ${names[twice]}`;
      context.addIssue({ code: "custom", message, path: [twice] });
    }
    // An empty key is left out, so that a file can offer a variable that may be unset; `bindFault` does not count it.
    return keys.filter(({ key }) => key !== "").map(({ name, key }) => ({ name, digest: digest(key) }));
  });
}

function digest(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
