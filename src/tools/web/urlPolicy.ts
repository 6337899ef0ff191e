// Checks page addresses against a component's rules. The egress judges what a host resolves to.
import type { HostPattern, WebScraperComponent } from "../../core/config/webScraperComponent.ts";

/** Maximum length in characters; longer addresses can carry data out. */
const MOST_CHARS = 2_048;

/** Parses the address that a model wrote, without its fragment. @throws Error with a message for the model. */
export function parsePageUrl(written: string): URL {
  const url = URL.parse(written.trim());
  if (!url || !/^https?:\/\//i.test(written.trim()))
    throw new Error("`url` must be the whole address of a page, as in https://example.com/page.");
  url.hash = "";
  return url;
}

/** Sentence that says why a page must not be read; undefined if it may be. */
export function validatePageUrl(
  url: URL,
  { hosts = ANYWHERE, except }: Pick<WebScraperComponent, "hosts" | "except">,
): string | undefined {
  const { protocol, host, username, password, href } = url;
  if (protocol !== "http:" && protocol !== "https:") return "Only http and https addresses are read.";
  if (username !== "" || password !== "") return "An address that holds a user or a password is not read.";
  if (href.length > MOST_CHARS) return `An address of more than ${MOST_CHARS} characters is not read.`;
  const isExcluded = except.some((pattern) => isHost(url, pattern) && (pattern.port ?? getPort(url)) === getPort(url));
  if (isExcluded) return `Pages of ${host} are not read.`;
  if (hosts.some((pattern) => isHost(url, pattern) && isPort(url, pattern))) return undefined;
  return hosts === ANYWHERE
    ? `Pages are read on the usual ports only, not at ${host}.`
    : `Pages of ${host} are not read; those of ${hosts.map(shown).join(", ")} are.`;
}

const ANYWHERE: readonly HostPattern[] = [{ host: "*" }];

/** A name may end in a dot, and mean the same. */
function isHost({ hostname }: URL, { host }: HostPattern): boolean {
  const name = hostname.replace(/\.$/, "");
  return host === "*" || host === name || (host.startsWith("*.") && name.endsWith(host.slice(1)));
}

function isPort(url: URL, { port }: HostPattern): boolean {
  return port === undefined ? url.port === "" : getPort(url) === port;
}

function getPort({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function shown({ host, port }: HostPattern): string {
  return port === undefined ? host : `${host}:${port}`;
}
