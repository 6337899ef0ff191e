// The form of failures for programs that know no OpenAI. Knows no route.
import type { FailureWire } from "./Wire.ts";

export const questionWire: FailureWire = {
  failureBody: ({ code, message, details }) => ({
    error: { code, message, ...(details?.interrupts !== undefined && { interrupts: details.interrupts }) },
  }),
};
