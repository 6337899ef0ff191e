// The request headers of the gateway's own, the same on every wire, or a caller failure that names one. Knows no body.
import { failure, PostelError } from "../core/failures.ts";
import type { ChatRequest } from "../core/requests.ts";

/** The value of a request's header. */
export type HeaderOf = (name: string) => string | undefined;

/** What the headers ask for beside the body. */
export type HeaderWishes = Pick<ChatRequest, "pinnedToolMode" | "onInvalid" | "parse">;

/** @throws PostelError `invalid_request` that names the header and what it may say. */
export function readWishes(header: HeaderOf): HeaderWishes {
  return {
    pinnedToolMode: readHeader(header, "x-postel-tool-mode", ["native", "text"]),
    onInvalid: readHeader(header, "x-postel-on-invalid", ["error", "text", "pass"]),
    parse: readParse(header),
  };
}

/** @throws PostelError `invalid_request`. */
export function readParse(header: HeaderOf): "off" | undefined {
  return readHeader(header, "x-postel-parse", ["off"]);
}

/** Whether the caller wants the model's own text in issues. */
export function wantsRaw(header: HeaderOf): boolean {
  return header("x-postel-raw") === "1";
}

function readHeader<Value extends string>(header: HeaderOf, name: string, values: readonly Value[]): Value | undefined {
  const said = header(name);
  const value = values.find((one) => one === said);
  if (said === undefined || value !== undefined) return value;
  const choice = values.map((one) => `\`${one}\``).join(" or ");
  throw new PostelError(failure("invalid_request", `The header \`${name}\` must be ${choice}.`, { param: name }));
}
