// Converts a citation of Anthropic's Messages to an annotation of the chat wire.
import type { JsonObject } from "../../../core/messages.ts";
import { asString } from "../../looseJson.ts";

/** Characters of the answer that the citation is for. */
interface Span extends JsonObject {
  readonly start_index: number;
  readonly end_index: number;
}

/** The chat wire knows annotations of web pages only; others have the same form under their own name. */
export function toAnnotation(citation: JsonObject, span: Span): JsonObject {
  const { type, ...rest } = citation;
  const url = asString(citation.url);
  const name = url === undefined ? (asString(type) ?? "citation") : "url_citation";
  return {
    type: name,
    [name]: url === undefined ? { ...rest, ...span } : { url, title: citation.title ?? "", ...span },
  };
}
