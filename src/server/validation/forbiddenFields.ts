// Rejects request fields that no front API allows: too many fields, and fields that would choose the server.
import { createFailure, PostelError } from "../../core/failures.ts";
import { isRoutingField } from "../../models/request/routingFields.ts";

/** Maximum number of fields: the APIs define about forty, and unknown ones are passed on. */
const MAX_FIELDS = 256;

/** Before anything looks at a field. @throws PostelError `invalid_request`. */
export function refuseManyFields(raw: unknown): void {
  if (typeof raw !== "object" || Object.keys(raw ?? {}).length <= MAX_FIELDS) return;
  throw new PostelError(createFailure("invalid_request", `The body has more than ${MAX_FIELDS} fields of its own.`));
}

/**
 * @param readFields fields that the gateway reads itself and does not pass on. @throws PostelError `unsupported_parameter` that
 * names the field.
 */
export function refuseRouting(body: Readonly<Record<string, unknown>>, readFields: ReadonlySet<string>): void {
  for (const param in body) {
    if (readFields.has(param) || body[param] === null || !isRoutingField(param)) continue;
    const message = `\`${param}\` is not taken from callers: which server is asked, and with which key and headers, is the operator's to say.`;
    throw new PostelError(createFailure("unsupported_parameter", message, { param }));
  }
}
