// Parses the allowed redirect origins of an action, and checks URLs against them.

/** An origin such as `https://files.example.com` or `*.example.com:8443`, parsed. */
export interface RedirectOrigin {
  /** With its colon; absent: `https:`, and the scheme of the action's own URL. */
  readonly protocol?: string | undefined;
  /** Host in URL form; `*.` at the start matches all subdomains. */
  readonly host: string;
  /** Port in URL form: empty for the default port of the scheme. */
  readonly port: string;
}

const WRITTEN = /^(?:(https?:)\/\/)?(\*\.)?([^*/?#@\\\s:[\]]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?\/?$/;

/** Returns undefined if the text is no origin. */
export function readRedirectOrigin(text: string): RedirectOrigin | undefined {
  const [, protocol, wildcard = "", name, port = ""] = WRITTEN.exec(text) ?? [];
  if (name === undefined) return undefined;
  const url = URL.parse(`${protocol ?? "https:"}//${name}${port && ":"}${port}`);
  if (!url || (wildcard !== "" && /^\[|^[\d.]+$/.test(url.hostname))) return undefined;
  return { ...(protocol !== undefined && { protocol }), host: `${wildcard}${getHost(url)}`, port: url.port };
}

/** @param actionUrl URL of the action itself. */
export function mayRedirect(target: URL, actionUrl: URL, origins: readonly RedirectOrigin[]): boolean {
  if (target.origin === actionUrl.origin) return true;
  const host = getHost(target);
  return origins.some((one) => {
    const isScheme = one.protocol
      ? target.protocol === one.protocol
      : target.protocol === "https:" || target.protocol === actionUrl.protocol;
    const isHost = one.host.startsWith("*.") ? host.endsWith(one.host.slice(1)) : host === one.host;
    return isScheme && isHost && target.port === one.port;
  });
}

/** Removes a trailing dot, which does not change the meaning of a name. */
function getHost({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}
