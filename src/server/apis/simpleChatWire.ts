// The form of failures for programs that know no OpenAI. Knows no route.
import type { ErrorFormat } from "./FrontApi.ts";

export const simpleChatWire: ErrorFormat = {
  failureBody: ({ code, message, details }) => ({
    error: { code, message, ...(details?.interrupts !== undefined && { interrupts: details.interrupts }) },
  }),
};
