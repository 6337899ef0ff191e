// The translation between chat completions and the Gemini API.
import type { Translation } from "../UpstreamWire.ts";
import { GeminiAnswer } from "./GeminiAnswer.ts";
import { generateRequest } from "./generateRequest.ts";

export const geminiTranslation: Translation = { ask: generateRequest, answer: () => new GeminiAnswer() };
