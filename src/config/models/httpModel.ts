// Reads an HTTP component that calls a model as an upstream: its wire protocol, address and body defaults. Sends nothing.
import { z } from "zod";
import type { HttpActionConfig, HttpClientComponent } from "../../core/config/components.ts";
import type { UpstreamConfig } from "../../core/config/configuration.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { findPlaceholders, parseParts } from "../../core/template/fillTemplate.ts";
import { parseTemplate } from "../../core/template/parseTemplate.ts";
import type { ReferenceIssue } from "../load/ConfigIssue.ts";
import type { KnownNames } from "../load/KnownNames.ts";
import { samplingFields, toSampling } from "./modelProfiles.ts";

/** A component of type `http-client` as written. */
export interface HttpService extends HttpClientComponent {
  /** The wire protocol of its model, if its path does not show it. */
  readonly wire?: string | undefined;
  /** True if the component has the keys of its one action itself. */
  readonly isInline: boolean;
}

/** A service as an upstream, or all of its faults. */
export type ServedModel =
  | { readonly type: "upstream"; readonly upstream: UpstreamConfig }
  | { readonly type: "refused"; readonly faults: readonly ReferenceIssue[] };

type Path = readonly (string | number)[];

export function toModelService(
  service: HttpService,
  path: Path,
  known: Pick<KnownNames, "parseServerUrl">,
): ServedModel {
  const [action, ...others] = service.actions;
  if (!action || others.length > 0)
    return createIssue([...path, "actions"], "expected one action, which asks the model");
  const at = service.isInline ? path : [...path, "actions", 0];
  const serverAddress = known.parseServerUrl(`${service.baseUrl}${action.path}`, service.wire);
  if (!serverAddress) return createIssue([...at, "path"], describeWrongPath(action.path, service.wire));
  if (action.method !== "POST") return createIssue([...at, "method"], "expected POST, with which models are asked");
  const template = readTemplate(action, [...at, "body"]);
  const model = template.model ?? nameInPath(action.path) ?? serverAddress.deployment;
  const faults = [
    ...template.faults,
    ...findDynamicHeaders(service, action, { path, at }),
    ...(model === undefined ? [{ path: [...at, "body", "model"], message: UNNAMED }] : []),
  ];
  if (faults.length > 0) return { type: "refused", faults };
  const { id } = service;
  const headers = Object.fromEntries(
    Object.entries({ ...service.headers, ...action.headers }).map(([name, text]) => [name, literalText(text)]),
  );
  const { defaults } = template;
  return {
    type: "upstream",
    upstream: {
      type: "server",
      id,
      ...serverAddress,
      headers,
      models: [id],
      ...(model && { model }),
      defaults,
      parse: "on",
    },
  };
}

function createIssue(path: Path, message: string): ServedModel {
  return { type: "refused", faults: [{ path, message }] };
}

const WRITTEN_AS: Readonly<Record<string, string>> = { timeoutMs: "timeout_ms", redirectOrigins: "redirect_origins" };

/** Faults for keys that only tool calls support. */
function findDynamicHeaders(
  { headers }: HttpService,
  action: HttpActionConfig,
  { path, at }: { readonly path: Path; readonly at: Path },
): readonly ReferenceIssue[] {
  const names = (["query", "form", "retries", "redirects", "redirectOrigins", "timeoutMs"] as const).filter(
    (name) => action[name] !== undefined,
  );
  const interpolated = (all: Readonly<Record<string, string>>, basePath: Path) =>
    Object.entries(all).flatMap(([name, text]) =>
      findPlaceholders(text).length > 0 ? [[...basePath, "headers", name]] : [],
    );
  return [
    ...names.map((name) => ({
      path: [...at, WRITTEN_AS[name] ?? name],
      message: "expected none: the component is asked as a model, and this is for tools",
    })),
    ...[...interpolated(headers, path), ...interpolated(action.headers ?? {}, at)].map((location) => ({
      path: location,
      message: "expected a value without placeholders: the component is asked as a model, for everybody alike",
    })),
  ];
}

function literalText(template: string): string {
  return parseParts(template)
    .map((part) => (part.type === "text" ? part.text : part.source))
    .join("");
}

const UNNAMED = "expected the name of the model that the server is asked for";

function describeWrongPath(path: string, wire: string | undefined): string {
  if (wire) return `expected the path of a request of the wire ${wire}`;
  const expectation =
    "expected a path that ends as a model's does: /chat/completions, /messages or /models/NAME:generateContent";
  return /\/responses(?:\?|$)/.test(path)
    ? `${expectation}; servers are not asked through the Responses API`
    : expectation;
}

/** A path may have it: `/models/NAME:generateContent`. */
function nameInPath(path: string): string | undefined {
  return /\/([^/:{}]+):(?:generateContent|streamGenerateContent)(?:\?|$)/.exec(path)?.[1];
}

interface Template {
  readonly model?: string | undefined;
  readonly defaults: { readonly sampling: ReturnType<typeof toSampling>; readonly passthrough: JsonObject };
  readonly faults: readonly ReferenceIssue[];
}

/** Literal values and placeholder defaults (after `|`) become request defaults; the wire protocol fills the rest. */
function readTemplate({ body = {} }: HttpActionConfig, path: Path): Template {
  const faults: ReferenceIssue[] = [];
  const fail = (at: Path, message: string): undefined => void faults.push({ path: [...path, ...at], message });
  if (!isObject(body)) fail([], "expected a mapping, the fields of the request");
  const literals = isObject(body) ? readMembers(body, [], fail) : {};
  const { model, stream: _, ...rest } = literals;
  if (model !== undefined && typeof model !== "string") fail(["model"], UNNAMED);
  const sampling = samplingSchema.safeParse(rest);
  for (const issue of sampling.error?.issues ?? []) fail(issue.path.map(String), issue.message);
  const passthrough: Record<string, JsonValue> = {};
  for (const [field, value] of Object.entries(rest)) {
    if (FILLED.has(field))
      fail([field], `expected a placeholder, as \${input.messages}, or nothing: the wire fills it`);
    else if (!Object.hasOwn(samplingFields, field)) passthrough[field] = value;
  }
  return {
    ...(typeof model === "string" && { model }),
    defaults: { sampling: toSampling(sampling.data ?? {}), passthrough },
    faults,
  };
}

const samplingSchema = z.object(samplingFields);

/** Fields that the wire protocols fill in every request. */
const FILLED: ReadonlySet<string> = new Set([
  ...["messages", "contents", "system", "systemInstruction", "system_instruction"],
  ...["tools", "tool_choice", "toolConfig", "tool_config", "parallel_tool_calls", "functions", "function_call"],
  ...["stream_options", "response_format", "max_completion_tokens"],
]);

/** Inputs that a request supplies, whatever field of the template contains them. */
const INPUTS: ReadonlySet<string> = new Set([...FILLED, ...Object.keys(samplingFields), "model", "stream"]);

type Fail = (at: Path, message: string) => undefined;

/** The members that have a value of their own. */
function readMembers(value: JsonObject, at: Path, fail: Fail): JsonObject {
  const members = Object.entries(value).flatMap(([key, item]) => {
    const literal = readLiteral(item, [...at, key], fail);
    return literal === undefined ? [] : [[key, literal] as const];
  });
  return Object.fromEntries(members);
}

function readLiteral(value: JsonValue, at: Path, fail: Fail): JsonValue | undefined {
  if (typeof value === "string") return readText(value, at, fail);
  if (Array.isArray(value)) return value.flatMap((item, index) => readLiteral(item, [...at, index], fail) ?? []);
  return isObject(value) ? readMembers(value, at, fail) : value;
}

function readText(value: string, at: Path, fail: Fail): JsonValue | undefined {
  const parsed = parseTemplate(value);
  const parts = parsed.type === "template" ? parsed.parts : [];
  const [part] = parts;
  if (parts.length > 1) return fail(at, "expected a value or one placeholder: nothing is put together here");
  if (part === undefined || part.type === "text") return part?.text ?? "";
  if (part.root !== "input") return fail(at, `expected a value or an input: \`${part.source}\` has no meaning here`);
  const name = part.path.join(".");
  if (part.fallback !== undefined || name === at.at(-1) || INPUTS.has(name)) return part.fallback;
  return fail(at, `expected a default, as in \`\${input.${name} | …}\`: no request has this input`);
}
