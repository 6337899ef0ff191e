// An `http-client` component of the configuration as tools, one for each action. Goes out through the injected Egress only.
import type { HttpActionConfig, HttpClientComponent } from "../core/components.ts";
import { fillTemplate } from "../core/fillTemplate.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import { parametersOf } from "../core/parametersOf.ts";
import type { Egress, EgressRequest, EgressResponse, Redact } from "../core/ports.ts";
import { fillPath } from "./fillPath.ts";
import { InterruptRaised } from "./InterruptRaised.ts";
import { SourcedOutput, type Tool, type ToolContext, type ToolOutput } from "./Tool.ts";

/** Bytes of a response body that are read; a longer one is an error, because a cut JSON body means nothing. */
const MAX_BODY_BYTES = 2 * 1_024 * 1_024;
/** Characters of an error answer's body that the model is shown. */
const ERROR_BODY_CHARS = 500;

export interface HttpClientOptions {
  readonly egress: Egress;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
  /** Whether a strict JSON text keeps a JSON Schema. */
  readonly matches: (strictJson: string, schema: JsonObject) => boolean;
  /** For what the service says: a careless one repeats the key that it was sent. */
  readonly redact: Redact;
}

export function httpClientTools(component: HttpClientComponent, options: HttpClientOptions): readonly Tool[] {
  return component.actions.map((action) => ({
    spec: {
      name: action.tool,
      description: action.description ?? component.description,
      parameters: parametersOf([action.path, action.body ?? null], action.params),
    },
    idempotent: isIdempotent(action),
    repeatable: action.repeatable,
    approval: action.approval,
    asks: action.interrupts !== undefined,
    untrusted: action.untrusted ?? true,
    redact: options.redact,
    async execute(args, context) {
      const request = requestFor({ component, action, args, context, headersMs: options.headersMs });
      return readAnswer(await options.egress.send(request, context.signal), action, options.matches);
    },
  }));
}

interface Call {
  readonly component: HttpClientComponent;
  readonly action: HttpActionConfig;
  readonly args: JsonObject;
  readonly context: ToolContext;
  readonly headersMs: number;
}

function requestFor({ component, action, args, context, headersMs }: Call): EgressRequest {
  const base = new URL(component.baseUrl);
  const url = new URL(`${component.baseUrl}${fillPath(action.path, args)}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname.replace(/\/$/, "")))
    throw new Error("these values would leave the service's address.");
  const body = action.body === undefined ? undefined : JSON.stringify(fillTemplate(action.body, { input: args }));
  return {
    method: action.method,
    url: url.href,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...component.headers,
      // The same for whatever run of the call: what the service has done for it, it does not do again.
      ...(action.idempotent && { "idempotency-key": `${context.run}-${context.callId}` }),
    },
    body,
    purpose: {
      kind: "tool",
      key: base.origin,
      run: context.run,
      repeatable: isIdempotent(action),
      timers: { headersMs },
    },
  };
}

/** Anything but reading may have had its effect although the answer was lost, unless the service takes a key for it. */
function isIdempotent({ method, idempotent }: HttpActionConfig): boolean {
  return idempotent ?? (method === "GET" || method === "HEAD");
}

/** @throws InterruptRaised where the answer is one that a person is asked about. */
async function readAnswer(
  response: EgressResponse,
  action: HttpActionConfig,
  matches: HttpClientOptions["matches"],
): Promise<ToolOutput> {
  const text = await readBody(response.body);
  if (response.status < 200 || response.status > 299) {
    const shown = text.trim().slice(0, ERROR_BODY_CHARS);
    throw new Error(`the service answered with status ${response.status}${shown && `: ${shown}`}`);
  }
  const body = parseBody(text);
  for (const [type, { when, message, suggestion }] of Object.entries(action.interrupts ?? {}))
    if (matches(JSON.stringify(body), when)) throw new InterruptRaised({ type, question: message, reason: suggestion });
  const output = action.output === undefined ? body : fillTemplate(action.output, { response: body });
  return action.sources === undefined ? output : new SourcedOutput(output, listIn(body, action.sources));
}

/** A result is one without its sources too. */
function listIn(body: JsonValue, template: string): JsonValue {
  try {
    return fillTemplate(template, { response: body });
  } catch {
    return [];
  }
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Error(`the service's answer is longer than ${MAX_BODY_BYTES} bytes.`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

function parseBody(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
