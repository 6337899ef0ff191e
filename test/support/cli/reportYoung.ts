// Preloaded into a process: says how large its young generation was when it wrote its first line, and is once much has survived, in MB.
import { getHeapSpaceStatistics } from "node:v8";

/** Turns of the event loop in each of which much survives: what looks at a collection does so in the next. */
const TURNS = 40;

const kept: object[] = [];

function young(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return (space?.space_size ?? Number.NaN) / 1_000_000;
}

function keepMuch(turns: number, then: () => void): void {
  if (turns === 0) {
    then();
    return;
  }
  for (let at = 0; at < 100_000; at += 1) kept.push({ at });
  setImmediate(keepMuch, turns - 1, then);
}

const write = process.stdout.write.bind(process.stdout) as (...args: unknown[]) => boolean;
process.stdout.write = (...args: unknown[]) => {
  process.stdout.write = write;
  const atStart = young();
  keepMuch(TURNS, () => process.send?.([atStart, young()]));
  return write(...args);
};
