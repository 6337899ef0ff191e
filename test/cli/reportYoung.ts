// Preloaded into a process: says how large its young generation was when it wrote its first line, and is once much survives, in MB. Knows no command.
import { getHeapSpaceStatistics } from "node:v8";

const kept: object[] = [];

function young(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return (space?.space_size ?? Number.NaN) / 1_000_000;
}

function keepMuch(): void {
  for (let at = 0; at < 1_000_000; at += 1) kept.push({ at });
}

const write = process.stdout.write.bind(process.stdout) as (...args: unknown[]) => boolean;
process.stdout.write = (...args: unknown[]) => {
  process.stdout.write = write;
  const atStart = young();
  keepMuch();
  process.send?.([atStart, young()]);
  return write(...args);
};
