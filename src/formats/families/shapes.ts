// Shapes without marks of their own, and which families write them: a model that is known for one of these is believed more readily.

export type Shape = "json" | "fence" | "python" | "named-json" | "labelled";

/** Families whose call is JSON with its name, between marks of their own. */
export const MARKED_JSON: readonly string[] = [
  "hermes-json",
  "jamba-array",
  "nemotron-toolcall",
  "internlm-plugin",
  "gigachat3",
  "mistral-array",
];

/** The first is the name a call gets where the model is not known for any of them. */
export const SHAPE_FAMILIES: Readonly<Record<Shape, readonly string[]>> = {
  json: [
    "generic-json",
    "llama3-json",
    "xlam-array",
    "openai-echo",
    "granite3-json",
    "functools",
    "phi4-tag",
    "apertus-array",
  ],
  fence: [
    "generic-json",
    "command-r-fenced",
    "gemini-tool-code",
    "react-json",
    "xlam-array",
    "yaml-block",
    "smol-code",
  ],
  python: [
    "llama-pythonic",
    "granite-pythonic",
    "lfm2-pythonic",
    "olmo3-pythonic",
    "gemini-tool-code",
    "raven",
    "gorilla",
    "minicpm3-python",
  ],
  "named-json": ["mistral-args", "glm4-legacy", "functionary-v32", "kimi-k2", "gemini-call-text", "gemma4"],
  labelled: ["react-text"],
};
