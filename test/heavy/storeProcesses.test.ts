// Two processes on one store, one killed under load, with ten thousand acknowledged writes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, jest } from "@jest/globals";
import { killedUnderLoad } from "../support/stores/killedUnderLoad.ts";

jest.setTimeout(600_000);

it("has each of 10,000 acknowledged writes of two processes, one of which was killed, and none twice", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postel-processes-"));
  try {
    expect(await killedUnderLoad(join(folder, "postel.db"), 7_000)).toBeGreaterThanOrEqual(10_000);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
