// Base URLs whose host is put together from the environment and the file. Knows no other field.
import type { FilledScalar } from "./readYaml.ts";

export interface SplicedHost {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * A variable may give a whole address or nothing of its host: in `http://${env.NAME}.example` or `${env.BASE}@example` whoever sets
 * the variable, or a mistake in it, would decide where keys and prompts go. A port is no host.
 */
export function findSplicedHosts(filled: readonly FilledScalar[]): readonly SplicedHost[] {
  return filled.flatMap(({ path, pieces }) => {
    if (path.at(-1) !== "base_url" || !hasSplicedHost(pieces)) return [];
    const message = `expected a host that is written out or comes with its whole address from one variable; write base_url: \${env.SERVICE_URL}`;
    return [{ path, message }];
  });
}

function hasSplicedHost(pieces: FilledScalar["pieces"]): boolean {
  const [from, to] = findHostSpan(pieces.map(({ text }) => text).join(""));
  let at = 0;
  const touching = pieces.filter(({ text }) => {
    const start = at;
    at += text.length;
    return start < to && at > from;
  });
  const filledIn = touching.some((piece) => piece.from !== "file");
  // Whole: one piece holds the scheme, the host and its end.
  return filledIn && (touching.length > 1 || !(touching[0]?.text.includes("://") ?? false));
}

/** Where the authority without its port begins and ends; an address that has none is refused elsewhere. */
function findHostSpan(address: string): readonly [number, number] {
  const authority = /:\/\/([^/?#\\]*?)(?::\d*)?(?=[/?#\\]|$)/d.exec(address);
  return authority?.indices?.[1] ?? [0, address.length];
}
