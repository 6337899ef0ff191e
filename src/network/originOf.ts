// Which server an exchange goes to. Knows no path and no right to go there.
import type { EgressRequest } from "../core/ports.ts";

/** Scheme, host and port; the purpose's key where the URL is none, of which the guard says so. */
export function originOf({ url, purpose }: EgressRequest): string {
  return URL.canParse(url) ? new URL(url).origin : purpose.key;
}
