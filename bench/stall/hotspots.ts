// A CPU profile and a span of time → the functions that it was spent in. Knows no gateway.
import { readFileSync } from "node:fs";

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The heaviest functions between two times (microseconds of the monotonic clock), by what they and those they called took. */
export function hotspots(file: string, from: number, to: number, count = 8): readonly string[] {
  const profile = JSON.parse(readFileSync(file, "utf8")) as Profile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const own = new Map<string, number>();
  const all = new Map<string, number>();
  let at = profile.startTime;
  for (const [i, sample] of profile.samples.entries()) {
    const spent = profile.timeDeltas[i] ?? 0;
    at += spent;
    if (at < from || at > to) continue;
    const stack = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) stack.add(nameOf(nodes.get(id)));
    add(own, nameOf(nodes.get(sample)), spent);
    for (const name of stack) add(all, name, spent);
  }
  const shown = (spent: Map<string, number>, kind: string) =>
    [...spent]
      .filter(([name]) => name.includes(":") || kind === "self")
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([name, micros]) => `${kind} ${(micros / 1000).toFixed(0).padStart(5)} ms  ${name}`);
  return [...shown(own, "self"), ...shown(all, "with")];
}

function nameOf(node: Profile["nodes"][number] | undefined): string {
  if (!node) return "";
  const { functionName, url, lineNumber } = node.callFrame;
  const place = url.replace(/^.*\/(src|node_modules)\//, "$1/");
  return `${functionName || "(anonymous)"}${place ? ` ${place}:${lineNumber + 1}` : ""}`;
}

function add(spent: Map<string, number>, name: string, micros: number): void {
  spent.set(name, (spent.get(name) ?? 0) + micros);
}
