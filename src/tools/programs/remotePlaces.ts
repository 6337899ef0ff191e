// Rules for operands and options that name code on another machine.
import type { ProgramRule } from "./ProgramRow.ts";

/** Addresses, also in the forms of git, of archives (`oci://`) and of sources with a getter (`git::https://…`). */
export const REMOTE =
  /^(?:[a-z][a-z0-9+.-]*::|[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:|(?:github|gitlab|bitbucket)\.\w+\/)/i;

/** Runs what another machine serves. */
export const remoteCode = (given: Omit<ProgramRule, "rule" | "why">): ProgramRule => ({
  rule: "code",
  why: "runs what comes from elsewhere",
  ...given,
});
