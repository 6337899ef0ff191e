// Lists the rungs of the ladder between the bare proxy and Postel.

/** The rungs in their order. Each adds what it names to the rung before it. */
export const RUNGS: readonly string[] = [
  "whole bodies",
  "JSON parsed and serialized",
  "the SDK's headers",
  "Express",
  "request id, headers, log line",
  "timers, abort signal",
];
