// A program for tests: puts what a file says that waits to whoever is there, and says last what was decided.
import { readFileSync } from "node:fs";
import { createPrompter } from "../../src/cli/prompts/createPrompter.ts";
import { decideAll } from "../../src/cli/prompts/decideAll.ts";
import { StdinLines } from "../../src/cli/prompts/StdinLines.ts";
import type { InterruptRecord } from "../../src/core/runs/interrupts.ts";

const open = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as readonly InterruptRecord[];
const lines = new StdinLines(process.stdin);
const person = await createPrompter({ input: process.stdin, output: process.stdout, lines });
const given = await decideAll(open, person);
process.stdout.write(`Decided: ${JSON.stringify(given?.map(({ decision }) => decision) ?? null)}\n`);
lines.close();
