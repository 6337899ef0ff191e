// Lists the operations of an OpenAPI document, and selects those that a component uses. Reads neither parameters nor bodies.

import { type JsonObject, toItems } from "../../core/messages.ts";
import { matchesPattern } from "../../core/models/namePatterns.ts";
import type { Fail } from "../components/actionFields.ts";
import { suggestName } from "../load/suggestName.ts";
import { joinPointer, type LocatedNode, listEntries, type OpenApiDocument } from "./OpenApiDocument.ts";

export interface FoundOperation extends LocatedNode {
  /** The operationId as written; empty if there is none. */
  readonly name: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** The path item, which applies to all its operations. */
  readonly shared: LocatedNode;
}

/** Selected operations: those that each list contains and `except` does not; an absent list contains all. */
export interface OperationFilter {
  /** operationIds, `*` for any run of characters. */
  readonly ids?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly methods?: readonly string[] | undefined;
  /** operationIds, as `ids`. */
  readonly except?: readonly string[] | undefined;
}

/** Methods that tools can use; OPTIONS and TRACE request nothing from a service. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Maximum number of tools of one component: with more, models choose badly and providers refuse the list. */
const MOST_OPERATIONS = 128;

export function findOperations(document: OpenApiDocument): readonly FoundOperation[] {
  return listEntries(document.root.paths).flatMap(([path, raw]) => {
    const shared = path.startsWith("/") ? document.resolveReference(raw, joinPointer("#/paths", path)) : undefined;
    if (!shared) return [];
    return METHODS.flatMap((method) => {
      const key = method.toLowerCase();
      const found = document.resolveReference(shared.value[key], joinPointer(shared.at, key));
      return found
        ? [{ ...found, method, path, shared, name: getText(found.value, "operationId"), tags: readTags(found) }]
        : [];
    });
  });
}

function getText(value: JsonObject, key: string): string {
  const text = value[key];
  return typeof text === "string" ? text : "";
}

function readTags({ value }: LocatedNode): readonly string[] {
  return toItems(value.tags).filter((tag) => typeof tag === "string");
}

/** @param fail receives each entry of the filter that matches no operation. */
export function selectOperations(
  all: readonly FoundOperation[],
  filter: OperationFilter,
  { document, fail }: { readonly document: OpenApiDocument; readonly fail: Fail },
): readonly FoundOperation[] {
  const { ids, tags, methods, except = [] } = filter;
  for (const [key, patterns] of Object.entries({ ids, except }))
    checkPatterns(patterns ?? [], all, (at, message) => fail([key, at], message));
  checkTags(tags ?? [], all, (at, message) => fail(["tags", at], message));
  const selected = all.filter(
    (one) =>
      (!ids || ids.some((pattern) => matchesPattern(pattern, one.name))) &&
      (!tags || tags.some((tag) => one.tags.includes(tag))) &&
      (!methods || methods.includes(one.method)) &&
      !except.some((pattern) => matchesPattern(pattern, one.name)),
  );
  checkNames(selected, document);
  if (selected.length === 0)
    fail([], "expected a filter that takes an operation; this one takes none of the document's");
  if (selected.length > MOST_OPERATIONS)
    fail(
      [],
      `expected at most ${MOST_OPERATIONS} operations, and these are ${selected.length}: take fewer by \`ids\`, \`tags\`, \`methods\` and \`except\``,
    );
  return selected;
}

type FailAt = (at: number, message: string) => void;

function checkPatterns(patterns: readonly string[], all: readonly FoundOperation[], fail: FailAt): void {
  const names = all.map(({ name }) => name).filter((name) => name !== "");
  for (const [at, pattern] of patterns.entries())
    if (!names.some((name) => matchesPattern(pattern, name)))
      fail(at, `expected an operationId of the document, \`*\` for any characters${suggestName(pattern, names)}`);
}

function checkTags(tags: readonly string[], all: readonly FoundOperation[], fail: FailAt): void {
  const known = new Set(all.flatMap((one) => one.tags));
  for (const [at, tag] of tags.entries())
    if (!known.has(tag))
      fail(
        at,
        `expected a tag of the document's operations${suggestName(tag, known) || `; they have ${[...known].join(", ") || "none"}`}`,
      );
}

function checkNames(selected: readonly FoundOperation[], document: OpenApiDocument): void {
  const seenIds = new Map<string, string>();
  for (const { name, method, path, at } of selected) {
    const before = seenIds.get(name);
    if (name === "")
      document.fail(
        at,
        `expected an operationId, the name of the tool: write one, such as \`operationId: ${madeName(method, path)}\``,
      );
    else if (before !== undefined)
      document.fail(
        joinPointer(at, "operationId"),
        `expected an operationId of its own; ${before} has the same: rename one of them`,
      );
    seenIds.set(name, at);
  }
}

/** `GET /orders/{id}/items` → `getOrdersIdItems`. */
function madeName(method: string, path: string): string {
  const nameParts = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return [method.toLowerCase(), ...nameParts.map((word) => word[0]?.toUpperCase() + word.slice(1))]
    .join("")
    .slice(0, 60);
}
