// A program for tests: puts what a file says that waits to whoever is there, and says last what was decided. Knows no run.
import { readFileSync } from "node:fs";
import { decideAll } from "../../src/cli/person/decideAll.ts";
import { LineSource } from "../../src/cli/person/LineSource.ts";
import { personAt } from "../../src/cli/person/personAt.ts";
import type { InterruptRecord } from "../../src/core/interrupts.ts";

const open = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as readonly InterruptRecord[];
const lines = new LineSource(process.stdin);
const person = await personAt({ input: process.stdin, output: process.stdout, lines });
const given = await decideAll(open, person);
process.stdout.write(`Decided: ${JSON.stringify(given?.map(({ decision }) => decision) ?? null)}\n`);
lines.close();
