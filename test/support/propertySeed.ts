// Before each test file: the seed that every property starts from.
import fc from "fast-check";

/** The same in every run, so that a test fails for a change and not for luck; `npm run fuzz` draws others. */
const FIXED = 7678;

fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? FIXED) });
