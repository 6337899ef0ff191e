// Wraps an action of an HTTP service as a tool: sends its request, follows redirects, and reads the answer.
import type { Credentials } from "../../core/config/Credentials.ts";
import { readsOnly, type ServiceAction } from "../../core/config/componentActions.ts";
import type { XmlShape } from "../../core/config/xmlShape.ts";
import type { JsonObject, JsonValue, ToolSpec } from "../../core/messages.ts";
import type { Egress, EgressRequest, Redact } from "../../core/ports.ts";
import { fillTemplate } from "../../core/template/fillTemplate.ts";
import { CitedOutput, MultipartOutput, NotedOutput, type Tool } from "../Tool.ts";
import { isRepeatable, type TemplateContext } from "./buildRequest.ts";
import { followRedirects } from "./followRedirects.ts";
import { type MatchesSchema, raiseNeeds } from "./raiseInterrupts.ts";
import { type NoText, readHttpAnswer } from "./readResponse.ts";
import { describeRequestEffect } from "./requestEffect.ts";

export interface ServiceOptions {
  readonly egress: Egress;
  /** Credentials of callers for services. */
  readonly credentials: Credentials;
  /** Milliseconds until the response headers must be there. */
  readonly headersMs: number;
  readonly matches: MatchesSchema;
  /** Redacts answers: a careless service may repeat the key that it was sent. */
  readonly redact: Redact;
  /** Removes only known keys from a plan; absent: `redact`. */
  readonly redactKeys?: Redact | undefined;
}

/** Parts that a component type adds to an action of a service. */
interface ServiceCall extends Omit<ToolSpec, "name"> {
  /** Treatment of an answer that is no text; absent: an error. */
  readonly noText?: NoText;
  /** Schema of an XML answer, if one exists. */
  readonly xmlAnswer?: XmlShape | undefined;
  /** Throws an error with a message for the model, before anything is sent. */
  requestOf(args: JsonObject, context: TemplateContext, credentials: Credentials): EgressRequest;
}

export function createServiceTool(
  action: ServiceAction,
  { requestOf, noText, xmlAnswer, ...spec }: ServiceCall,
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
      describeRequestEffect(requestOf(args, { ...NOBODYS, context }, credentials.masked()), action, {
        shown: redact,
        planned: redactKeys,
      }),
    async execute(args, context) {
      const response = await followRedirects(egress, requestOf(args, context, credentials), {
        action,
        signal: context.signal,
      });
      const answer = await readHttpAnswer(response, { noText, xml: xmlAnswer });
      if (answer instanceof MultipartOutput) return answer;
      const { value, note } = answer;
      raiseNeeds(value, action, matches);
      if (value === null) return `Done (status ${response.status}, no content).`;
      const result = buildResult(value, action);
      return note === undefined ? result : new NotedOutput(result, note);
    },
  };
}

/** An empty context for plans: an approval does not depend on the run, call id or owner, which the plan itself contains. */
const NOBODYS: TemplateContext = { run: "", callId: "", callKey: "", owner: "" };

function buildResult(answer: JsonValue, { output, sources }: ServiceAction): JsonValue | CitedOutput {
  const result = output === undefined ? answer : fillTemplate(output, { response: answer });
  return sources === undefined ? result : new CitedOutput(result, resolveList(answer, sources));
}

/** Missing sources do not make the result fail. */
function resolveList(answer: JsonValue, template: string): JsonValue {
  try {
    return fillTemplate(template, { response: answer });
  } catch {
    return [];
  }
}
