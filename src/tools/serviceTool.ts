// An action of an HTTP service as a tool: its request is sent, followed and read into a result. Knows no kind of component and makes no request.
import type { Credentials } from "../core/Credentials.ts";
import { readsOnly, type ServiceAction } from "../core/componentActions.ts";
import { fillTemplate } from "../core/fillTemplate.ts";
import type { JsonObject, JsonValue, ToolSpec } from "../core/messages.ts";
import type { Egress, EgressRequest, Redact } from "../core/ports.ts";
import { followRedirects } from "./followRedirects.ts";
import { httpAnswer, type NoText } from "./httpAnswer.ts";
import { isRepeatable, type RequestContext } from "./httpRequest.ts";
import { type MatchesSchema, raiseNeeds } from "./raiseNeeds.ts";
import { requestEffect } from "./requestEffect.ts";
import { PartedOutput, SourcedOutput, type Tool, type ToolOutput } from "./Tool.ts";

export interface ServiceOptions {
  readonly egress: Egress;
  /** What callers have that services want of them. */
  readonly credentials: Credentials;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
  readonly matches: MatchesSchema;
  /** For what the service says: a careless one repeats the key that it was sent. */
  readonly redact: Redact;
  /** Takes keys alone out of a plan; absent: `redact`. */
  readonly redactKeys?: Redact | undefined;
}

/** What a kind of component adds to an action of a service. */
interface ServiceCall extends Omit<ToolSpec, "name"> {
  /** What becomes of an answer that is no text; absent: an error. */
  readonly noText?: NoText;
  /** Throws in words for a model, before anything is sent. */
  requestOf(args: JsonObject, context: RequestContext, credentials: Credentials): EgressRequest;
}

export function serviceTool(
  action: ServiceAction,
  { requestOf, noText, ...spec }: ServiceCall,
  { egress, credentials, matches, redact, redactKeys = redact }: ServiceOptions,
): Tool {
  return {
    spec: { name: action.tool, ...spec },
    timeoutMs: action.timeoutMs,
    idempotent: isRepeatable(action),
    repeatable: action.repeatable,
    async: action.async,
    approval: action.approval,
    danger: action.danger,
    asks: action.interrupts !== undefined,
    untrusted: action.untrusted ?? true,
    redact,
    readsOnly: readsOnly(action.method),
    effect: (args, context) =>
      requestEffect(requestOf(args, { ...NOBODYS, context }, credentials.masked()), action, {
        shown: redact,
        planned: redactKeys,
      }),
    async execute(args, context) {
      const response = await followRedirects(egress, requestOf(args, context, credentials), {
        action,
        signal: context.signal,
      });
      const answer = await httpAnswer(response, noText);
      if (answer instanceof PartedOutput) return answer;
      raiseNeeds(answer, action, matches);
      return answer === null ? `Done (status ${response.status}, no content).` : resultOf(answer, action);
    },
  };
}

/** An approval is for the call whatever run, call id and owner it has: those are in the plan itself. */
const NOBODYS: RequestContext = { run: "", callId: "", callKey: "", owner: "" };

function resultOf(answer: JsonValue, { output, sources }: ServiceAction): ToolOutput {
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
