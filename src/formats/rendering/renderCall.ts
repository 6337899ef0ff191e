// One call as its family writes it. Knows nothing of requests.
import { renderingOf } from "../families/tables.ts";

/** The text of a call in the format of `emulate`: what the parser reads back as the same call. `arguments` is JSON text. */
export function renderCall(call: { readonly name: string; readonly arguments: string }, emulate: string): string {
  return renderingOf(emulate).calls([{ index: 0, name: call.name, arguments: call.arguments }]);
}
