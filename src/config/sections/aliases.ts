// The `aliases:` section: names that clients send, and the model for each.
import { z } from "zod";
import { type Alias, findAlias } from "../../core/models/namePatterns.ts";
import { nonEmptyText } from "../fields.ts";
import type { ReferenceIssue } from "../load/ConfigIssue.ts";

const modelName = nonEmptyText("the name of a model").refine((name) => !name.includes("*"), {
  error: "expected the name of one model, without `*`",
});

const namePattern = z.string().regex(/^[^\sA-Z]+$/, {
  error: "expected a name pattern in lower case without spaces, `*` for anything",
});

/** A mapping of patterns to names, in the order of the file. */
export function createAliasesSchema() {
  return z
    .record(namePattern, modelName, { error: "expected name patterns with the models that they stand for" })
    .transform((raw): readonly Alias[] => Object.entries(raw).map(([pattern, model]) => ({ pattern, model })));
}

/** Aliases are resolved once, so an alias of an alias would not work as written. */
export function findChainedAliases(aliases: readonly Alias[]): readonly ReferenceIssue[] {
  return aliases.flatMap(({ pattern, model }) => {
    const next = findAlias(model, aliases);
    if (!next || next.model === model) return [];
    const message = `expected the name of a model; \`${model}\` is itself an alias (\`${next.pattern}\`), of \`${next.model}\``;
    return [{ path: ["aliases", pattern], message }];
  });
}
