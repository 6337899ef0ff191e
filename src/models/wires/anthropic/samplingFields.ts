// Converts the sampling parameters of a chat body to the bounds of Anthropic's Messages.
import type { JsonObject } from "../../../core/messages.ts";
import { asArray } from "../../looseJson.ts";

/** Not in the SDK's types: the version of the API that its types describe has none of the first three (decisions/0057). */
export interface SamplingFields {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly stop_sequences?: string[];
}

/** The chat wire's temperature goes to 2, this one's to 1; Anthropic's own endpoint of the chat wire cuts it so. */
const MAX_TEMPERATURE = 1;
/** "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled" */
const MIN_TOP_P_THINKING = 0.95;

/** `drop` is called for each field that was omitted or changed. */
export function buildSamplingFields(
  body: JsonObject,
  { thinks, drop }: { readonly thinks: boolean; readonly drop: (field: string) => void },
): SamplingFields {
  const fields: { -readonly [Name in keyof SamplingFields]: SamplingFields[Name] } = {};
  const { temperature, top_p: topP, top_k: topK } = body;
  if (typeof temperature === "number") {
    // "`temperature` may only be set to 1 when thinking is enabled": 1 is the default then.
    if (!thinks) fields.temperature = Math.min(temperature, MAX_TEMPERATURE);
    if (temperature > MAX_TEMPERATURE || (thinks && temperature !== MAX_TEMPERATURE)) drop("temperature");
  }
  if (typeof topP === "number") {
    // "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    if (fields.temperature !== undefined || (thinks && topP < MIN_TOP_P_THINKING)) drop("top_p");
    else fields.top_p = topP;
  }
  if (typeof topK === "number") {
    if (thinks) drop("top_k");
    else fields.top_k = topK;
  }
  const stops = asArray(body.stop).filter((stop): stop is string => typeof stop === "string");
  if (stops.length > 0) fields.stop_sequences = stops;
  return fields;
}
