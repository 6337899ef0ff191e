// Parses a model's text as a turn would, and returns what a client would have received. Used by the CLI and HTTP.

import { z } from "zod";
import { opensInReasoning } from "../../agents/prompting/startsInReasoning.ts";
import { iterateCooperatively, YIELD } from "../../core/async/yieldToEventLoop.ts";
import type { LimitsConfig } from "../../core/config/configuration.ts";
import { Collector } from "../../core/events/Collector.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { ModelCapabilities } from "../../core/models/capabilities.ts";
import type { Ids } from "../../core/ports.ts";
import { opensReasoning } from "../../formats/channels/ReasoningReader.ts";
import { createOutputParser, type OutputParser } from "../../formats/createOutputParser.ts";
import { type ExplainedSpan, explainParse } from "../../formats/explain.ts";
import type { Slice } from "../../formats/MultiFormatOutputParser.ts";
import { type ParserEvent, type ReleasedCandidate, UNREPORTED_ISSUE } from "../../formats/state/ParserEvent.ts";
import type { ModelCapabilityDetector } from "../../models/capabilities/ModelCapabilityDetector.ts";
import { type CallSpelling, FUNCTIONS, wireCall } from "../apis/chatCompletions/encodeCalls.ts";
import { readOutput, responseFormatShape } from "../apis/chatCompletions/readResponseFormat.ts";
import {
  type OfferedTools,
  readKnownTools,
  refuseManyTools,
  toolShape,
  type WireTool,
} from "../apis/chatCompletions/toolSpecs.ts";
import { wireIssues } from "../messages/postelBlock.ts";
import { checkShape, listField } from "../validation/checkShape.ts";
import { createSchemaBudget } from "../validation/checkToolSchema.ts";

const inputShape = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  text: z.string().nullish(),
  chunks: z.array(z.string()).nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  response_format: responseFormatShape,
  tool_mode: z.enum(["native", "text"]).nullish(),
  model: z.string().max(256).nullish(),
  generation_prompt: z.string().nullish(),
  thinking: z.boolean().nullish(),
  finish_reason: z.string().nullish(),
  explain: z.boolean().nullish(),
});

type Input = z.infer<typeof inputShape>;

const toolsShape = z.looseObject({ tools: listField(toolShape) });

interface AnswerCircumstances {
  /** `off`: all text is content, as if the model's profile said so. */
  readonly parse?: "off" | undefined;
  /** Aborts the parse. */
  readonly signal?: AbortSignal | undefined;
}

interface Explained {
  readonly spans: readonly ExplainedSpan[];
  readonly calls: readonly JsonObject[];
}

export interface ParserServices {
  readonly detector: Pick<ModelCapabilityDetector, "detect">;
  readonly ids: Pick<Ids, "callId">;
  readonly limits: Pick<LimitsConfig, "captureChars" | "maxTools" | "descriptionChars" | "schemaSteps">;
}

export class ModelTextParser {
  readonly #services: ParserServices;

  constructor(services: ParserServices) {
    this.#services = services;
  }

  /**
   * Input: `{id?, text | chunks, tools?, tool_choice?, response_format?, tool_mode?, model?, generation_prompt?, thinking?,
   * finish_reason?, explain?}`. Output: `{id, content, reasoning_content, tool_calls, finish_reason, issues, formats,
   * repairs, explain?}`. A long text is read in slices that yield to the event loop. @throws PostelError `invalid_request`
   * that names the field; the signal's reason.
   */
  async answer(raw: unknown, circumstances: AnswerCircumstances = {}): Promise<JsonObject> {
    const input = checkShape(inputShape, raw);
    if (input.explain) refuseLongText(input);
    const answer = await this.#parse(input, circumstances);
    const finish = input.finish_reason ?? "stop";
    const { text, reasoning, issues, formats, repairs } = answer.collected.getCollected();
    return {
      id: input.id ?? null,
      content: text === "" ? null : text,
      reasoning_content: reasoning === "" ? null : reasoning,
      tool_calls: answer.calls,
      finish_reason: answer.calls.length > 0 ? "tool_calls" : finish === "tool_calls" ? "stop" : finish,
      ...wireIssues(issues, true, answer.unreported),
      formats,
      repairs,
      ...(input.explain && { explain: answer.spans().map(wireSpan) }),
    };
  }

  /**
   * The spans of a text and the calls in it, as `answer` has them.
   * @throws PostelError `invalid_request` that names the field.
   */
  async explain(raw: unknown): Promise<Explained> {
    const answer = await this.#parse({ ...checkShape(inputShape, raw), explain: true });
    return { spans: answer.spans(), calls: answer.calls };
  }

  async #parse(input: Input, { parse, signal }: AnswerCircumstances = {}): Promise<ParsedText> {
    const capabilities = this.#capabilities(input);
    const chunks = input.chunks ?? [input.text ?? ""];
    if (parse === "off" || capabilities.parse === "off") {
      const untouched = new ParsedText(input.explain === true, FUNCTIONS);
      untouched.add({ type: "text", at: 0, text: chunks.join("") });
      return untouched;
    }
    const toolMode = input.tool_mode ?? "native";
    const { specs: tools, calls } = this.#toolsIn(this.#offered(input.tools ?? []));
    const reading = {
      tools,
      callsAllowed: input.tool_choice !== "none",
      toolMode,
      // Without a named model its prompt format is unknown.
      model: input.model ? capabilities : { ...capabilities, emulate: undefined },
      reasoningOpened: startsInReasoning(input, capabilities),
      ids: this.#services.ids,
      captureChars: this.#services.limits.captureChars,
    };
    const output = readOutput(input.response_format, createSchemaBudget(this.#services.limits.schemaSteps));
    const parser = createOutputParser(reading, output);
    const answer = new ParsedText(input.explain === true, calls);
    for await (const event of iterateCooperatively(read(parser, chunks, input.finish_reason ?? "stop"), signal))
      answer.add(event);
    answer.released = parser.released;
    return answer;
  }

  #capabilities(input: Input): ModelCapabilities {
    const model = input.model ?? "";
    const pinned = input.tool_mode ?? "native";
    return this.#services.detector.detect({ model, key: `parse/${model}`, pinned });
  }

  #offered(tools: readonly unknown[]): readonly WireTool[] {
    refuseManyTools(tools, this.#services.limits.maxTools);
    return checkShape(toolsShape, { tools }).tools;
  }

  #toolsIn(tools: readonly WireTool[]): OfferedTools {
    const { limits } = this.#services;
    return readKnownTools(tools, limits, createSchemaBudget(limits.schemaSteps));
  }
}

function* read(
  parser: OutputParser,
  chunks: readonly string[],
  finishReason: string,
): Generator<ParserEvent | typeof YIELD> {
  for (const chunk of chunks) yield* steps(parser, parser.feedSlice(chunk));
  yield* steps(parser, parser.finishSlice(finishReason));
}

function* steps(parser: OutputParser, first: Slice): Generator<ParserEvent | typeof YIELD> {
  for (let slice = first; ; slice = parser.nextSlice()) {
    yield* slice.events;
    if (!slice.more) return;
    yield YIELD;
  }
}

/** Each marker becomes a span with an object of its own, so the answer can be ten times as long as the text. */
const EXPLAINED_CHARS = 262_144;

function refuseLongText({ text, chunks }: Input): void {
  const length = chunks ? chunks.reduce((sum, chunk) => sum + chunk.length, 0) : (text ?? "").length;
  if (length <= EXPLAINED_CHARS) return;
  const message = `\`explain\` is for texts of at most ${EXPLAINED_CHARS} characters; this one has ${length}.`;
  throw new PostelError(createFailure("invalid_request", message, { param: "explain" }));
}

/** Collects results as they arrive: a hostile text has a million calls, so no final step may iterate over all of them. */
class ParsedText {
  readonly collected = new Collector({ text: true, maxExtraChars: Number.POSITIVE_INFINITY, calls: false });
  readonly calls: JsonObject[] = [];
  /** Issues beyond those that the parser reports. */
  unreported = 0;
  released: readonly ReleasedCandidate[] = [];
  /** Collected only if the client asked for `explain`: a hostile text has millions of events. */
  readonly #events: ParserEvent[] | undefined;
  readonly #spelling: CallSpelling;

  constructor(explains: boolean, spelling: CallSpelling) {
    this.#spelling = spelling;
    this.#events = explains ? [] : undefined;
  }

  add(event: ParserEvent): void {
    this.#events?.push(event);
    if (event.type === "dropped") {
      if (event.why === UNREPORTED_ISSUE) this.unreported += 1;
      return;
    }
    this.collected.add(event);
    if (event.type === "call") this.calls.push(wireCall(event.call, this.#spelling));
  }

  spans(): readonly ExplainedSpan[] {
    return explainParse(this.#events ?? [], this.released);
  }
}

function wireSpan({ at, length, kind, text, family, tool, code, repairs, why }: ExplainedSpan): JsonObject {
  return {
    at,
    length,
    kind,
    ...(family !== undefined && { family }),
    ...(tool !== undefined && { tool }),
    ...(code !== undefined && { code }),
    ...(repairs !== undefined && { repairs }),
    ...(why !== undefined && { why }),
    text,
  };
}

/**
 * Uses the end of the prompt if it is known, else the rule of every turn: the client's switch, then the profile (design §5).
 */
function startsInReasoning({ generation_prompt: prompt, thinking }: Input, { reasoning }: ModelCapabilities): boolean {
  if (typeof prompt === "string") return opensReasoning(prompt);
  return opensInReasoning(reasoning, typeof thinking === "boolean" ? { chat_template_kwargs: { thinking } } : {});
}
