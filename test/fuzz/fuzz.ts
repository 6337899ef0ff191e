// `npm run fuzz`: FUZZ_INPUTS generated texts (a million if it is not said), or FUZZ_SECONDS of them; FUZZ_SEED repeats a run.
import { fuzzParser } from "../support/fuzzParser.ts";

const started = Date.now();
const report = fuzzParser({
  inputs: numberOf("FUZZ_INPUTS") ?? 1_000_000,
  seconds: numberOf("FUZZ_SECONDS") ?? 24 * 3600,
  seed: numberOf("FUZZ_SEED"),
});
const seconds = ((Date.now() - started) / 1000).toFixed(1);
const { inputs, chunkings, seed, difference } = report;
console.log(
  `inputs ${inputs}  chunkings ${chunkings}  seed ${seed}  seconds ${seconds}  differences ${difference ? 1 : 0}`,
);
if (difference) {
  console.log(`${JSON.stringify(difference.text)}\nunder ${JSON.stringify(difference.request)}\n${difference.broken}`);
  process.exitCode = 1;
}

function numberOf(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${variable} is "${text}"; a whole number is expected.`);
  return value;
}
