// A model's text and its circumstances → what a client would have received. The measuring port of CLI and HTTP; knows neither.
import { z } from "zod";
import { readingOf } from "../agents/readingOf.ts";
import { reasoningOpened } from "../agents/reasoningOpened.ts";
import type { ModelCapabilities } from "../core/capabilities.ts";
import type { LimitsConfig } from "../core/configuration.ts";
import type { FormatIssue } from "../core/issues.ts";
import type { JsonObject, ToolCall, ToolSpec } from "../core/messages.ts";
import type { Ids } from "../core/ports.ts";
import { type ExplainedSpan, explain } from "../formats/explain.ts";
import { MultiFormatOutputParser } from "../formats/MultiFormatOutputParser.ts";
import type { ParserEvent, ReleasedCandidate } from "../formats/ParserEvent.ts";
import { reasoningOpenedBy } from "../formats/reasoningOpened.ts";
import type { ModelCapabilityDetector } from "../models/ModelCapabilityDetector.ts";
import { checkShape, listOf } from "./checkShape.ts";
import { schemaBudget } from "./checkToolSchema.ts";
import { wireCall } from "./openaiResponse.ts";
import { wireIssue } from "./TurnReport.ts";
import { functionToolShape, readToolSpecs, refuseManyTools } from "./toolSpecs.ts";

const inputShape = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  text: z.string().nullish(),
  chunks: z.array(z.string()).nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  tool_mode: z.enum(["native", "text"]).nullish(),
  model: z.string().max(256).nullish(),
  generation_prompt: z.string().nullish(),
  thinking: z.boolean().nullish(),
  finish_reason: z.string().nullish(),
  explain: z.boolean().nullish(),
});

type Input = z.infer<typeof inputShape>;

const toolsShape = z.looseObject({ tools: listOf(functionToolShape) });

export interface ParserServices {
  readonly detector: Pick<ModelCapabilityDetector, "detect">;
  readonly ids: Pick<Ids, "callId">;
  readonly limits: Pick<LimitsConfig, "captureChars" | "maxTools" | "descriptionChars" | "schemaSteps">;
}

/** Rows and tool lists that are remembered: a long measurement asks of the same few again and again. */
const REMEMBERED = 256;
/** Characters of a tool list that is remembered. */
const REMEMBERED_CHARS = 64 * 1024;

export class ModelTextParser {
  readonly #services: ParserServices;
  readonly #rows = new Map<string, ModelCapabilities>();
  readonly #tools = new Map<string, readonly ToolSpec[]>();

  constructor(services: ParserServices) {
    this.#services = services;
  }

  /**
   * `{id?, text | chunks, tools?, tool_mode?, model?, generation_prompt?, thinking?, finish_reason?, explain?}` →
   * `{id, content, reasoning_content, tool_calls, finish_reason, issues, formats, repairs, explain?}`.
   * @param parse `off`: as if the model's row said so, all text is content.
   * @throws PostelError `invalid_request` that names the field.
   */
  answer(raw: unknown, parse?: "off"): JsonObject {
    const input = checkShape(inputShape, raw);
    const heard = this.#parse(input, parse);
    const finish = input.finish_reason ?? "stop";
    return {
      id: input.id ?? null,
      content: heard.text === "" ? null : heard.text,
      reasoning_content: heard.reasoning === "" ? null : heard.reasoning,
      tool_calls: heard.calls.map(wireCall),
      finish_reason: heard.calls.length > 0 ? "tool_calls" : finish === "tool_calls" ? "stop" : finish,
      issues: heard.issues.map((issue) => wireIssue(issue, true)),
      formats: distinct(heard.calls.map((call) => call.origin)),
      repairs: distinct(heard.calls.flatMap((call) => call.repairs)),
      ...(input.explain && { explain: heard.spans().map(wireSpan) }),
    };
  }

  /**
   * The spans of a text and the calls in it, as `answer` has them.
   * @throws PostelError `invalid_request` that names the field.
   */
  explain(raw: unknown): { readonly spans: readonly ExplainedSpan[]; readonly calls: readonly JsonObject[] } {
    const heard = this.#parse(checkShape(inputShape, raw));
    return { spans: heard.spans(), calls: heard.calls.map(wireCall) };
  }

  #parse(input: Input, parse?: "off"): Heard {
    const capabilities = this.#capabilities(input);
    const chunks = input.chunks ?? [input.text ?? ""];
    if (parse === "off" || capabilities.parse === "off") {
      return hear([{ type: "text", at: 0, text: chunks.join("") }], []);
    }
    const toolMode = input.tool_mode ?? "native";
    const parser = new MultiFormatOutputParser({
      tools: this.#toolSpecs(input.tools ?? []),
      callsAllowed: input.tool_choice !== "none",
      toolMode,
      ...readingOf(capabilities),
      ...(toolMode === "text" && input.model && { emulate: capabilities.emulate }),
      reasoningOpened: startsInReasoning(input, capabilities),
      ids: this.#services.ids,
      captureChars: this.#services.limits.captureChars,
    });
    const events = chunks.flatMap((chunk) => parser.feed(chunk));
    return hear([...events, ...parser.finish(input.finish_reason ?? "stop")], parser.released);
  }

  #capabilities(input: Input): ModelCapabilities {
    const model = input.model ?? "";
    const pinned = input.tool_mode ?? "native";
    return remembered(this.#rows, `${pinned} ${model}`, () =>
      this.#services.detector.detect({ model, key: `parse/${model}`, pinned }),
    );
  }

  #toolSpecs(tools: readonly unknown[]): readonly ToolSpec[] {
    const { limits } = this.#services;
    refuseManyTools(tools, limits.maxTools);
    const read = () => readToolSpecs(checkShape(toolsShape, { tools }).tools, limits, schemaBudget(limits.schemaSteps));
    const key = JSON.stringify(tools);
    return key.length > REMEMBERED_CHARS ? read() : remembered(this.#tools, key, read);
  }
}

function remembered<T>(known: Map<string, T>, key: string, find: () => T): T {
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = find();
  if (known.size >= REMEMBERED) known.clear();
  known.set(key, found);
  return found;
}

interface Heard {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly issues: readonly FormatIssue[];
  /** What each stretch of the text was taken for; only worked out where it is asked for. */
  spans(): readonly ExplainedSpan[];
}

function hear(events: readonly ParserEvent[], released: readonly ReleasedCandidate[]): Heard {
  const text: string[] = [];
  const reasoning: string[] = [];
  const calls: ToolCall[] = [];
  const issues: FormatIssue[] = [];
  for (const event of events) {
    if (event.type === "text") text.push(event.text);
    else if (event.type === "reasoning") reasoning.push(event.text);
    else if (event.type === "call") calls.push(event.call);
    else if (event.type === "issue") issues.push(event.issue);
  }
  const spans = (): readonly ExplainedSpan[] => explain(events, released);
  return { text: text.join(""), reasoning: reasoning.join(""), calls, issues, spans };
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

/** The prompt's own end if it is known, else the rule of every turn: the caller's switch, then the row (design §5). */
function startsInReasoning({ generation_prompt: prompt, thinking }: Input, { reasoning }: ModelCapabilities): boolean {
  if (typeof prompt === "string") return reasoningOpenedBy(prompt);
  return reasoningOpened(reasoning, typeof thinking === "boolean" ? { chat_template_kwargs: { thinking } } : {});
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
