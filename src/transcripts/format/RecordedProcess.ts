// One program of a recorded run as a line of its transcript: its input and its result.
import { z } from "zod";
import type { ProcessEnd, ProcessRequest } from "../../core/ports.ts";
import type { TimedEnd } from "../record/TimedRecorder.ts";

const END = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("refused"), reason: z.string() }),
  z.strictObject({
    type: z.literal("ended"),
    stdout: z.string(),
    stderr: z.string(),
    exitCode: z.int().nullable(),
    signal: z.string().optional(),
    stopped: z.enum(["timeout", "output"]).optional(),
  }),
]);

/** A line of a transcript. `ms` is from its start to its end; without `end` its run was over first. */
export const PROCESS = z.strictObject({
  type: z.literal("process"),
  /** Its number at its start; grows within a file. */
  n: z.int().min(0),
  run: z.string(),
  argv: z.array(z.string()),
  stdin: z.string().optional(),
  at: z.iso.datetime(),
  ms: z.number().min(0),
  end: END.optional(),
});

export interface RecordedProcess extends Pick<ProcessRequest, "argv" | "stdin">, TimedEnd<ProcessEnd> {
  readonly type: "process";
  readonly run: string;
}
