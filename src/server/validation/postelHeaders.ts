// Reads the gateway's own request headers, the same for every front API, or throws a caller failure that names one.
import { createFailure, PostelError } from "../../core/failures.ts";
import type { ChatRequest } from "../../core/requests.ts";

/** The value of a request's header. */
export type HeaderOf = (name: string) => string | undefined;

/** Options that the headers can set in addition to the body. */
export type HeaderWishes = Pick<ChatRequest, "pinnedToolMode" | "onInvalid" | "parse">;

/** @throws PostelError `invalid_request` that names the header and its allowed values. */
export function readWishes(header: HeaderOf): HeaderWishes {
  return {
    pinnedToolMode: readHeader(header, "x-postel-tool-mode", TOOL_MODES),
    onInvalid: readHeader(header, "x-postel-on-invalid", ON_INVALID),
    parse: readParse(header),
  };
}

const TOOL_MODES = ["native", "text"] as const;
const ON_INVALID = ["error", "text", "pass"] as const;
const PARSE = ["off"] as const;

/** @throws PostelError `invalid_request`. */
export function readParse(header: HeaderOf): "off" | undefined {
  return readHeader(header, "x-postel-parse", PARSE);
}

/** Returns true if the client wants the model's own text in issues. */
export function wantsRaw(header: HeaderOf): boolean {
  return header("x-postel-raw") === "1";
}

function readHeader<Value extends string>(header: HeaderOf, name: string, values: readonly Value[]): Value | undefined {
  const headerValue = header(name);
  if (headerValue === undefined) return undefined;
  const value = values.find((one) => one === headerValue);
  if (value !== undefined) return value;
  const choice = values.map((one) => `\`${one}\``).join(" or ");
  throw new PostelError(createFailure("invalid_request", `The header \`${name}\` must be ${choice}.`, { param: name }));
}
