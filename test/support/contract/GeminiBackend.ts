// The fake of Gemini's API with a model of one kind behind it. Knows how a request and an answer are spelled; judges neither.
import { isObject, type JsonObject, type JsonValue } from "../../../src/core/messages.ts";
import { GEMINI_KEY, GeminiServer, type GeminiTurn } from "../servers/GeminiServer.ts";
import type { Backend, Judge } from "./backends.ts";
import type { Kind } from "./cells.ts";
import { type Said, type Shown, think, tokensIn } from "./minds.ts";

export async function startGemini(kind: Kind, judge: Judge): Promise<Backend> {
  const bodies = new Map<string, string[]>();
  const server = await GeminiServer.start(({ model, body }) => {
    const text = JSON.stringify(body);
    bodies.set(model, [...(bodies.get(model) ?? []), text]);
    const refusal = judge(model, text, unknownName);
    if (refusal) return { status: 400, error: { message: refusal, status: "INVALID_ARGUMENT" } };
    const shown = shownBy(body);
    return turnOf(think(shown, kind), shown, body, kind);
  });
  return {
    baseUrl: server.baseUrl,
    apiKey: GEMINI_KEY,
    bodies: (model) => bodies.get(model) ?? [],
    close: () => server.close(),
  };
}

function unknownName(name: string): string {
  return `Invalid JSON payload received. Unknown name "${name}" at 'generation_config': Cannot find field.`;
}

function shownBy(body: JsonObject): Shown {
  const contents = list(body.contents);
  const config = object(body.generationConfig);
  const calling = object(object(body.toolConfig).functionCallingConfig);
  const allowed = (calling.allowedFunctionNames ?? []) as readonly string[];
  const limit = config.maxOutputTokens;
  return {
    words: [object(body.systemInstruction), ...contents].map(wordsIn).join("\n"),
    tools: list(body.tools).flatMap((tool) => list(tool.functionDeclarations).map(({ name }) => String(name))),
    choice: choiceOf(calling.mode, allowed),
    oneCall: false,
    wantsJson: config.responseMimeType === "application/json",
    stops: (config.stopSequences ?? []) as readonly string[],
    limit: typeof limit === "number" ? limit : Number.POSITIVE_INFINITY,
  };
}

function choiceOf(mode: JsonValue | undefined, [only]: readonly string[]): Shown["choice"] {
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return "auto";
  return only === undefined ? "required" : { name: only };
}

/** Results too: a model reads them. */
function wordsIn({ parts }: JsonObject): string {
  return list(parts)
    .map(({ text, functionResponse }) => text ?? (functionResponse ? JSON.stringify(functionResponse) : ""))
    .join(" ");
}

function turnOf({ text, calls, end, sawTools }: Said, shown: Shown, body: JsonObject, kind: Kind): GeminiTurn {
  const pieces = (text.match(/.{1,5}/gs) ?? []).map((piece) => [{ text: piece }]);
  const called = calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } }));
  const seen = Math.ceil((shown.words.length + (sawTools ? JSON.stringify(body.tools ?? []).length : 0)) / 4);
  const said = tokensIn(text).length;
  const asksProbabilities = object(body.generationConfig).responseLogprobs === true && kind !== "dropped";
  const chosenCandidates = [{ token: text, logProbability: -0.25 }];
  return {
    events: called.length > 0 ? [...pieces, called] : pieces,
    finishReason: end === "length" ? "MAX_TOKENS" : "STOP",
    usage: { promptTokenCount: seen, candidatesTokenCount: said, totalTokenCount: seen + said },
    ...(asksProbabilities && { candidate: { logprobsResult: { chosenCandidates } } }),
  };
}

function list(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value : [];
}

function object(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
