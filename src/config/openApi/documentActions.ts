// Builds the actions of a component from the operations of its document and the operator's settings.
import { basename } from "node:path";
import {
  type ApprovalPolicy,
  type DangerPolicy,
  readsOnly,
  type ServiceAction,
} from "../../core/config/componentActions.ts";
import type { OpenApiComponent, OperationConfig } from "../../core/config/openApiComponent.ts";
import { isObject, type JsonObject, toItems } from "../../core/messages.ts";
import { buildMcpToolName } from "../../core/tools/mcpToolName.ts";
import { sanitizeToolText } from "../../core/tools/sanitizeToolText.ts";
import type { Fail } from "../components/actionFields.ts";
import { checkCourse } from "../components/serviceFields.ts";
import type { KnownNames } from "../load/KnownNames.ts";
import { suggestName } from "../load/suggestName.ts";
import { listEntries, OpenApiDocument } from "./OpenApiDocument.ts";
import { OperationArguments } from "./OperationArguments.ts";
import { type FoundOperation, findOperations, type OperationFilter, selectOperations } from "./operations.ts";
import { getInputKey, readOperationInputs } from "./parameters.ts";
import { readOperationContent } from "./requestBody.ts";
import { SchemaReader } from "./SchemaReader.ts";
import {
  collectCredentialPlaces,
  collectSecuritySchemes,
  type GivenCredentials,
  readOperationCredentials,
} from "./security.ts";
import { readAnswerShape } from "./xmlShapes.ts";

/** The operator's settings for one operation; they override those for all. */
export type Override = {
  readonly [Key in keyof Omit<ServiceAction, "id" | "tool" | "method">]?: ServiceAction[Key] | undefined;
};

export interface WrittenOpenApi {
  readonly id: string;
  readonly baseUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: OperationFilter;
  readonly security: GivenCredentials;
  /** Default of all operations; absent: operations that do more than read need an approval. */
  readonly approval?: ApprovalPolicy | undefined;
  readonly danger?: DangerPolicy | undefined;
  readonly untrusted?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  /** Overrides by operationId. */
  readonly overrides: Readonly<Record<string, Override>>;
}

/** Maximum number of characters of an operation's description. */
const MOST_CHARS = 1_024;

export interface DocumentOptions {
  readonly known: Pick<KnownNames, "saysPublic">;
  readonly fail: Fail;
}

/** @param read the document and its file. @param fail receives every fault; those of the document have the key `document`. */
export function createDocumentActions(
  read: { readonly file: string; readonly value: JsonObject },
  raw: WrittenOpenApi,
  { known, fail }: DocumentOptions,
): Pick<OpenApiComponent, "baseUrl" | "actions"> {
  const document = new OpenApiDocument(read.value, basename(read.file));
  const failBelow =
    (key: string): Fail =>
    (path, message) =>
      fail([key, ...path], message);
  const selected = selectOperations(findOperations(document), raw.operations, {
    document,
    fail: failBelow("operations"),
  });
  const hiddenNames = new Set([
    ...collectCredentialPlaces(document),
    ...Object.keys(raw.headers).map((name) => getInputKey("header", name)),
  ]);
  const actions = selected.map((operation) =>
    toAction(operation, { document, written: raw, hidden: hiddenNames, fail }),
  );
  checkNames(
    Object.keys(raw.overrides),
    selected.map(({ name }) => name),
    { what: "an operationId that is taken", fail: failBelow("overrides") },
  );
  checkNames(
    Object.keys(raw.security),
    collectSecuritySchemes(document).map(([name]) => name),
    { what: "a security scheme of the document", fail: failBelow("security") },
  );
  const baseUrl = raw.baseUrl ?? resolveServer(document, selected, known);
  if (baseUrl === undefined)
    fail(
      ["base_url"],
      "expected the address of the service, `base_url: https://…`: the document's `servers` do not say it, for there is none, or it is relative, has variables, is no public address, or differs by operation",
    );
  for (const fault of document.faults) fail(["document"], fault);
  return { baseUrl: baseUrl ?? "", actions };
}

interface Surroundings {
  readonly document: OpenApiDocument;
  readonly written: WrittenOpenApi;
  readonly hidden: ReadonlySet<string>;
  readonly fail: Fail;
}

function toAction(operation: FoundOperation, { document, written, hidden, fail }: Surroundings): OperationConfig {
  const { name, method, path } = operation;
  const {
    description = describe(operation),
    params = {},
    ...override
  }: Override = Object.hasOwn(written.overrides, name) ? (written.overrides[name] ?? {}) : {};
  const parts = { document, schemas: new SchemaReader(document), args: new OperationArguments(document) };
  const inputs = readOperationInputs(
    operation,
    parts,
    override.idempotent ? new Set([...hidden, "header idempotency-key"]) : hidden,
  );
  const content = readOperationContent(operation, parts);
  const parameters = parts.args.parameters(params);
  checkNames(Object.keys(params), Object.keys(parameters.properties), {
    what: "an argument of the operation",
    fail: (at, message) => fail(["overrides", name, "params", ...at], message),
  });
  checkCourse({ method, ...override }, (at, message) => fail(["overrides", name, ...at], message));
  const tool = buildMcpToolName(written.id, name);
  return {
    ...{
      approval: written.approval ?? defaultApproval(method),
      danger: written.danger,
      untrusted: written.untrusted,
      timeoutMs: written.timeoutMs,
    },
    ...override,
    ...{ id: tool.slice(written.id.length + 1), tool, description, method, path, params, inputs, content, parameters },
    xmlAnswer: readAnswerShape(operation, document),
    credentials: readOperationCredentials(operation, document, written.security),
  };
}

/** A document is untrusted, so it cannot waive the approval. */
function defaultApproval(method: string): ApprovalPolicy | undefined {
  return readsOnly(method) ? undefined : { type: "always" };
}

function describe({ value: { summary, description }, method, path }: FoundOperation): string {
  const text = [summary, description].filter((text) => typeof text === "string" && text.trim() !== "");
  return sanitizeToolText(text.join("\n").trim() || `${method} ${path}`, MOST_CHARS);
}

function checkNames(
  names: readonly string[],
  known: readonly string[],
  { what, fail }: { readonly what: string; readonly fail: Fail },
): void {
  for (const name of names)
    if (!known.includes(name))
      fail(
        [name],
        `expected ${what}${suggestName(name, known) || `; there are ${known.slice(0, 40).join(", ") || "none"}`}`,
      );
}

/** The one base address of all operations. Only the operator's setting may lead to a private network. */
function resolveServer(
  document: OpenApiDocument,
  selected: readonly FoundOperation[],
  known: Pick<KnownNames, "saysPublic">,
): string | undefined {
  const hasDifferentServers = selected.some(({ value, shared }) =>
    [value, shared.value].some((one) => toItems(one.servers).length > 0),
  );
  const [server] = toItems(document.root.servers);
  const url = isObject(server) && listEntries(server.variables).length === 0 ? server.url : undefined;
  const isUsable = typeof url === "string" && /^https?:\/\/[^{}?#@\\\s]+$/i.test(url) && URL.canParse(url);
  return !hasDifferentServers && isUsable && known.saysPublic(url) ? url.replace(/\/+$/, "") : undefined;
}
