// Lists the functions that a CPU profile of V8 spent most time in.
import { readFileSync } from "node:fs";

/** The parts of a `.cpuprofile` file that are read. Times are microseconds of the monotonic clock. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A part of a profile. Times are microseconds of the monotonic clock. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Functions that are listed of each kind. */
const LISTED = 8;

/**
 * Lists the functions with the most time in `span`, one text each: first by their own time ("self"),
 * then by their time with that of the functions they called ("total").
 */
export function listHotFunctions(file: string, span: TimeSpan): readonly string[] {
  const profile = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const selfTimes = new Map<string, number>();
  const totalTimes = new Map<string, number>();
  let time = profile.startTime;
  for (const [i, sample] of profile.samples.entries()) {
    const micros = profile.timeDeltas[i] ?? 0;
    time += micros;
    if (time < span.from || time > span.to) continue;
    const stack = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id))
      stack.add(formatName(nodes.get(id)));
    addTime(selfTimes, formatName(nodes.get(sample)), micros);
    for (const name of stack) addTime(totalTimes, name, micros);
  }
  const inFiles = [...totalTimes].filter(([name]) => name.includes(":"));
  return [...formatLongest([...selfTimes], "self "), ...formatLongest(inFiles, "total")];
}

function formatLongest(times: readonly (readonly [string, number])[], kind: string): readonly string[] {
  return times
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, LISTED)
    .map(([name, micros]) => `${kind} ${(micros / 1000).toFixed(0).padStart(5)} ms  ${name}`);
}

/** Returns the name of a function with its file and line, such as `parse src/parser.ts:12`. */
function formatName(node: CpuProfile["nodes"][number] | undefined): string {
  if (!node) return "";
  const { functionName, url, lineNumber } = node.callFrame;
  const file = url.replace(/^.*\/(src|node_modules)\//, "$1/");
  return `${functionName || "(anonymous)"}${file ? ` ${file}:${lineNumber + 1}` : ""}`;
}

function addTime(times: Map<string, number>, name: string, micros: number): void {
  times.set(name, (times.get(name) ?? 0) + micros);
}
