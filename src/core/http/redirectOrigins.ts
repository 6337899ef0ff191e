// The origins that an action may be redirected to, beside its own: read from the configuration, and held against an address. Dials nothing.

/** `https://files.example.com`, `*.example.com:8443`, … in its parts. */
export interface RedirectOrigin {
  /** With its colon; absent: `https:`, and the scheme of the action's own address. */
  readonly protocol?: string | undefined;
  /** A host as a URL has it; one that begins with `*.` stands for all names below the rest. */
  readonly host: string;
  /** As a URL has it: empty for the usual one of the scheme. */
  readonly port: string;
}

const WRITTEN = /^(?:(https?:)\/\/)?(\*\.)?([^*/?#@\\\s:[\]]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?\/?$/;

/** Undefined for a text that names no origin. */
export function readRedirectOrigin(text: string): RedirectOrigin | undefined {
  const [, protocol, below = "", name, port = ""] = WRITTEN.exec(text) ?? [];
  if (name === undefined) return undefined;
  const url = URL.parse(`${protocol ?? "https:"}//${name}${port && ":"}${port}`);
  if (!url || (below !== "" && /^\[|^[\d.]+$/.test(url.hostname))) return undefined;
  return { ...(protocol !== undefined && { protocol }), host: `${below}${getHost(url)}`, port: url.port };
}

/** @param own the address of the action itself. */
export function mayRedirect(target: URL, own: URL, origins: readonly RedirectOrigin[]): boolean {
  if (target.origin === own.origin) return true;
  const host = getHost(target);
  return origins.some((one) => {
    const isScheme = one.protocol
      ? target.protocol === one.protocol
      : target.protocol === "https:" || target.protocol === own.protocol;
    const isHost = one.host.startsWith("*.") ? host.endsWith(one.host.slice(1)) : host === one.host;
    return isScheme && isHost && target.port === one.port;
  });
}

/** A name may end in a dot, and mean the same. */
function getHost({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}
