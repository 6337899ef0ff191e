// The section `runs` of postel.yaml: how runs are held, and how many go on that nobody waits for. Holds none.
import { z } from "zod";
import type { RunsConfig } from "../core/configuration.ts";
import { whole } from "./fields.ts";

export function runsSchema() {
  return z
    .strictObject({
      lease_ms: whole("milliseconds", 300, 600_000).default(30_000),
      background_at_once: whole("runs", 1, 10_000).default(16),
    })
    .transform((runs): RunsConfig => ({ leaseMs: runs.lease_ms, backgroundAtOnce: runs.background_at_once }));
}
