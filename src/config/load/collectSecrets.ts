// Finds the secret values of a configuration, which must not be logged or stored.
import type { Config } from "../../core/config/configuration.ts";
import { Secrets } from "../../core/config/Secrets.ts";
import { isObject } from "../../core/messages.ts";
import { parseParts } from "../../core/template/fillTemplate.ts";
import type { FilledScalar } from "./readYaml.ts";

/** Every secret of a configuration: values from the environment, keys, and credentials in headers. */
export function collectSecrets({
  secrets,
  credentials: owned,
  upstreams,
  components,
  webhooks,
  store,
}: Config): readonly string[] {
  const servers = upstreams.filter((upstream) => upstream.type === "server");
  const services = components.flatMap((one) => (one.type === "http-client" ? [one, ...one.actions] : []));
  const documents = components.filter((one) => one.type === "openapi");
  const shellVariables = components.flatMap((one) => (one.type === "shell" ? Object.entries(one.env) : []));
  const connections = components.flatMap((one) => (one.type === "mcp" ? [one.connection] : []));
  const raw = connections.flatMap((one) => Object.entries(one.type === "http" ? one.headers : one.env));
  const headers = [...services, ...documents, ...servers]
    .flatMap((one) => Object.entries(one.headers ?? {}))
    .concat(shellVariables, raw);
  const credentials = headers.flatMap(([name, value]) =>
    SECRET_NAME.test(name) ? splitTemplateText(value).flatMap(extractCredentials) : [],
  );
  const operations = documents.flatMap(({ actions }) => actions);
  const keys = operations.flatMap((one) => one.credentials.flatMap(({ value }) => splitTemplateText(value)));
  const signing = webhooks.map(({ secret }) => secret);
  return [
    ...secrets.reveal(),
    ...owned.reveal(),
    ...signing,
    ...(store.sealKey?.type === "value" ? [store.sealKey.value] : []),
    ...servers.flatMap(({ apiKey }) => apiKey ?? []),
    ...credentials,
    ...keys.flatMap(extractCredentials),
  ];
}

/** The secrets of a configuration that are keys: `collectSecrets` without the texts of the environment that are only withheld. */
export function keysOf(config: Config): readonly string[] {
  return collectSecrets({ ...config, secrets: new Secrets(config.secrets.revealKeys()) });
}

/**
 * Secret values that came from the environment. Exceptions: numbers and booleans of settings of that type; plain words if no
 * name marks a credential. In the settings of `PUBLIC` only texts that look like a random key and variables named like a key
 * count. In addresses only such parts, the user and the password count.
 */
export function collectEnvironmentSecrets(interpolated: readonly FilledScalar[]): readonly string[] {
  return interpolated.flatMap(({ path, value, pieces }) => {
    if (typeof value !== "string") return [];
    return pieces.flatMap(({ from, text, variable = "" }) =>
      from === "environment" ? extractSecrets(text.trim(), { path, variable }) : [],
    );
  });
}

/** Secrets of `collectEnvironmentSecrets` that neither a name nor their form identifies as keys. */
export function unnamedSecrets(interpolated: readonly FilledScalar[]): readonly string[] {
  const unnamed = interpolated.flatMap(({ path, value, pieces }) => {
    if (typeof value !== "string") return [];
    return pieces.flatMap(({ from, text, variable = "" }) =>
      from === "environment" && isUnnamed(text.trim(), { path, variable }) ? [text.trim()] : [],
    );
  });
  // A text that is used as a key elsewhere is a secret everywhere.
  const named = new Set(
    interpolated.flatMap(({ path, pieces }) =>
      pieces.flatMap(({ from, text, variable = "" }) =>
        from === "environment" && !isUnnamed(text.trim(), { path, variable })
          ? extractSecrets(text.trim(), { path, variable })
          : [],
      ),
    ),
  );
  return unnamed.filter((text) => !named.has(text));
}

/** The gateway's own keys, of which the configuration stores only digests. @param raw the file's value. */
export function collectLiteralKeys(raw: unknown): readonly string[] {
  const server = isObject(raw) ? (raw.server ?? raw.controller) : undefined;
  const keys = isObject(server) ? server.api_keys : undefined;
  const texts = Array.isArray(keys) ? keys.map((one: unknown) => (isObject(one) ? one.key : one)) : [];
  return texts.filter((key) => typeof key === "string");
}

/**
 * Names of headers, fields and parameters whose value is a secret. Redacting others (`content-type` …) would remove ordinary
 * text.
 */
const SECRET_NAME = /auth|cookie|key|secret|token|pass|pwd|credential|session|signature/i;

/** Names of variables that contain a key, as in `SHOP_API_KEY`; `KEY_FILE` and `TOKEN_LIMIT` do not. */
const SECRET_VARIABLE = /(?:^|_)(?:(?:API)?KEY|SECRET|TOKEN|PASS|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Settings that contain no credential: names, addresses, prompts, limits. */
const PUBLIC =
  /^(?:(?:server|controller)\.(?!api_keys(?!\.\d+\.name$))|models\.|egress\.|limits\.|retries\.|timeouts\.|agents\.|(?:upstreams|components)\.\d+\.(?!api_key|headers|env|security|actions|runtime|path|query|form|body(?!\.model$))|aliases\.|components\.\d+\.actions\.\d+\.(?!path|query|headers|form|body(?!\.model$)))/;

/** The literal parts of a template, without its placeholders. */
function splitTemplateText(template: string): readonly string[] {
  return parseParts(template).flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** The values in a header, without the scheme (`Bearer …`) and the names (`session=…`) before them. */
function extractCredentials(header: string): readonly string[] {
  const [first = "", ...others] = header.split(/[\s;,]+/);
  const hasScheme = others.length > 0 && /^[A-Za-z][A-Za-z0-9-]*$/.test(first);
  const values = (hasScheme ? others : [first, ...others]).map(
    (word) => /^[\w.-]+=(?!=*$)(.*)$/.exec(word)?.[1] ?? word,
  );
  const pairs =
    hasScheme && /^basic$/i.test(first) ? values.map((value) => Buffer.from(value, "base64").toString()) : [];
  return [...values, ...pairs.flatMap((pair) => [pair, pair.slice(pair.indexOf(":") + 1)])];
}

interface FilledPlace {
  readonly path: readonly string[];
  /** The name of the variable that was filled in. */
  readonly variable: string;
}

function extractSecrets(text: string, { path, variable }: FilledPlace): readonly string[] {
  if (URL.canParse(text) && text.includes("://")) return secretsInUrl(text);
  if (SECRET_VARIABLE.test(variable)) return extractCredentials(text);
  if (PUBLIC.test(path.join("."))) return splitIntoWords(text).filter(isRandomLike);
  if (path.some((name) => SECRET_NAME.test(name))) return extractCredentials(text);
  return /^\p{L}{1,15}$/u.test(text) ? [] : [text];
}

/** True if a text is treated as a secret although it is not known to be a key. */
function isUnnamed(text: string, { path, variable }: FilledPlace): boolean {
  const isUrl = URL.canParse(text) && text.includes("://");
  const isNamed = SECRET_VARIABLE.test(variable) || path.some((name) => SECRET_NAME.test(name));
  return !isUrl && !isNamed && !PUBLIC.test(path.join(".")) && !splitIntoWords(text).some(isRandomLike);
}

function splitIntoWords(text: string): readonly string[] {
  return text.match(/[\w+/=.~-]+/g) ?? [];
}

function secretsInUrl(text: string): readonly string[] {
  const { username, password, pathname, searchParams } = new URL(text);
  const named = [...searchParams].flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
  const others = [...pathname.split("/"), ...searchParams.values()].filter(isRandomLike);
  return [username, password, ...named, ...others]
    .filter((part) => part !== "")
    .flatMap((part) => [part, decoded(part)]);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** True for sixteen or more characters with eight consecutive letters and digits mixed: names and versions are not random. */
function isRandomLike(text: string): boolean {
  const runs = text.match(/[A-Za-z0-9]{8,}/g) ?? [];
  return text.length >= 16 && runs.some((run) => /[A-Za-z]/.test(run) && /\d/.test(run));
}
