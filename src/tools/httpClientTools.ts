// An `http-client` component of the configuration as tools, one for each action. Goes out through the injected Egress only.

import type { Credentials } from "../core/Credentials.ts";
import { type HttpActionConfig, type HttpClientComponent, templatesOf } from "../core/components.ts";
import { fillTemplate } from "../core/fillTemplate.ts";
import type { JsonObject, JsonValue } from "../core/messages.ts";
import { parametersOf } from "../core/parametersOf.ts";
import type { Egress, Redact } from "../core/ports.ts";
import { followRedirects } from "./followRedirects.ts";
import { httpAnswer } from "./httpAnswer.ts";
import { httpRequest, isRepeatable } from "./httpRequest.ts";
import { InterruptRaised } from "./InterruptRaised.ts";
import { SourcedOutput, type Tool, type ToolOutput } from "./Tool.ts";

export interface HttpClientOptions {
  readonly egress: Egress;
  /** What callers have that services want of them. */
  readonly credentials: Credentials;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
  /** Whether a strict JSON text keeps a JSON Schema. */
  readonly matches: (strictJson: string, schema: JsonObject) => boolean;
  /** For what the service says: a careless one repeats the key that it was sent. */
  readonly redact: Redact;
}

export function httpClientTools(component: HttpClientComponent, options: HttpClientOptions): readonly Tool[] {
  const { egress, credentials, headersMs, matches, redact } = options;
  return component.actions.map((action) => ({
    spec: {
      name: action.tool,
      description: action.description ?? component.description,
      parameters: parametersOf(templatesOf(component, action), action.params),
    },
    timeoutMs: action.timeoutMs,
    idempotent: isRepeatable(action),
    repeatable: action.repeatable,
    async: action.async,
    approval: action.approval,
    asks: action.interrupts !== undefined,
    untrusted: action.untrusted ?? true,
    redact,
    async execute(args, context) {
      const request = httpRequest({ component, action, args, context, credentials, headersMs });
      const { redirects: most = 0 } = action;
      const response = await followRedirects(egress, request, { most, signal: context.signal });
      const answer = await httpAnswer(response);
      askedOf(answer, action, matches);
      return answer === null ? `Done (status ${response.status}, no content).` : resultOf(answer, action);
    },
  }));
}

/** @throws InterruptRaised where the answer is one that a person is asked about. */
function askedOf(
  answer: JsonValue,
  { interrupts = {} }: HttpActionConfig,
  matches: HttpClientOptions["matches"],
): void {
  for (const [type, { when, message, suggestion }] of Object.entries(interrupts))
    if (matches(JSON.stringify(answer), when))
      throw new InterruptRaised({ type, question: message, reason: suggestion });
}

function resultOf(answer: JsonValue, { output, sources }: HttpActionConfig): ToolOutput {
  const result = output === undefined ? answer : fillTemplate(output, { response: answer });
  return sources === undefined ? result : new SourcedOutput(result, listIn(answer, sources));
}

/** A result is one without its sources too. */
function listIn(answer: JsonValue, template: string): JsonValue {
  try {
    return fillTemplate(template, { response: answer });
  } catch {
    return [];
  }
}
