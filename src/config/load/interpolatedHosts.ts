// Finds base URLs whose host is assembled from the environment and the file.
import type { FilledScalar } from "./readYaml.ts";

export interface SplicedHost {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * A variable may supply a complete address or no part of the host. In `http://${env.NAME}.example` or `${env.BASE}@example`
 * the variable would decide where keys and prompts are sent. A port is not part of the host.
 */
export function findSplicedHosts(interpolated: readonly FilledScalar[]): readonly SplicedHost[] {
  return interpolated.flatMap(({ path, pieces }) => {
    if (path.at(-1) !== "base_url" || !hasSplicedHost(pieces)) return [];
    const message = `expected a host that is written out or comes with its whole address from one variable; write base_url: \${env.SERVICE_URL}`;
    return [{ path, message }];
  });
}

function hasSplicedHost(pieces: FilledScalar["pieces"]): boolean {
  const [from, to] = findHostSpan(pieces.map(({ text }) => text).join(""));
  let at = 0;
  const overlapping = pieces.filter(({ text }) => {
    const start = at;
    at += text.length;
    return start < to && at > from;
  });
  const isInterpolated = overlapping.some((piece) => piece.from !== "file");
  // Complete: one piece contains the scheme, the host and its end.
  return isInterpolated && (overlapping.length > 1 || !(overlapping[0]?.text.includes("://") ?? false));
}

/** Start and end of the authority without its port; an address without one is refused elsewhere. */
function findHostSpan(address: string): readonly [number, number] {
  const authority = /:\/\/([^/?#\\]*?)(?::\d*)?(?=[/?#\\]|$)/d.exec(address);
  return authority?.indices?.[1] ?? [0, address.length];
}
