// Checks that a gateway which others can reach has keys or an explicit exception.
import type { ServerConfig } from "../../core/config/configuration.ts";

/**
 * Fault of an address that others can reach without a key; undefined if the address is loopback, keys are set, or it is
 * allowed explicitly.
 */
export function validateBind(server: ServerConfig): string | undefined {
  if (server.allowUnauthenticated || isLoopback(server.host) || server.apiKeys.length > 0) return undefined;
  return "expected a loopback address, because no `server.api_keys` are set; set keys (POSTEL_API_KEY in the shipped file), or `allow_unauthenticated: true` (POSTEL_ALLOW_UNAUTHENTICATED) where something else guards the port";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
