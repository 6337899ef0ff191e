// Encodes failures for simple clients that do not use the OpenAI API.
import type { ErrorFormat } from "./FrontApi.ts";

export const simpleChatWire: ErrorFormat = {
  failureBody: ({ code, message, details }) => ({
    error: { code, message, ...(details?.interrupts !== undefined && { interrupts: details.interrupts }) },
  }),
};
