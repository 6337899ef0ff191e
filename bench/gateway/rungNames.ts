// The rungs of the ladder, from the bare proxy upward. Knows not what they do.

export const RUNGS: readonly string[] = [
  "whole bodies",
  "JSON read and written",
  "the SDK's headers",
  "Express",
  "id, headers, log",
  "timers, abort",
];
