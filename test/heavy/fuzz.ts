// `npm run fuzz`: every property from fresh seeds, FUZZ_ROUNDS times (3), then FUZZ_INPUTS generated texts (a million), or FUZZ_SECONDS of them.
// FUZZ_SEED repeats a run.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { fuzzParser } from "../support/fuzzParser.ts";

const SEEDS = 2 ** 31;
const kept = numberOf("FUZZ_SEED");
const rounds = kept === undefined ? (numberOf("FUZZ_ROUNDS") ?? 3) : 1;
for (let round = 0; round < rounds; round++) checkProperties(kept ?? randomInt(SEEDS));
fuzzTexts(kept ?? randomInt(SEEDS));

/** Every test file that holds a property, in a jest of its own that starts them all from this seed. */
function checkProperties(seed: number): void {
  const files = globSync("test/**/*.test.ts").filter((file) => readFileSync(file, "utf8").includes('"fast-check"'));
  console.log(`properties of ${files.length} files  seed ${seed}`);
  const jest = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
  const { status } = spawnSync(process.execPath, [...jest, ...files], {
    env: { ...process.env, FUZZ_SEED: String(seed), TEST_WHOLE: "1" },
    stdio: "inherit",
  });
  if (status !== 0) fail(seed, "a property does not hold; its own seed and path stand above");
}

function fuzzTexts(seed: number): void {
  const started = Date.now();
  const { inputs, chunkings, difference } = fuzzParser({
    inputs: numberOf("FUZZ_INPUTS") ?? 1_000_000,
    seconds: numberOf("FUZZ_SECONDS"),
    seed,
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(
    `inputs ${inputs}  chunkings ${chunkings}  seed ${seed}  seconds ${seconds}  differences ${difference ? 1 : 0}`,
  );
  if (difference)
    fail(seed, `${JSON.stringify(difference.text)}\nunder ${JSON.stringify(difference.request)}\n${difference.broken}`);
}

function fail(seed: number, why: string): void {
  console.log(`${why}\nAgain: FUZZ_SEED=${seed} npm run fuzz. Keep what was found as a test of its own.`);
  process.exitCode = 1;
}

function numberOf(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${variable} is "${text}"; a whole number is expected.`);
  return value;
}
