// What a server says of its models of its own, beside what it answers: loaded when the first of it is wanted. Decides nothing.
import type { Clock } from "../core/ports.ts";
import { ContextWindows, type ContextWindowsOptions } from "./ContextWindows.ts";
import type { EvidenceWriter } from "./EvidenceWriter.ts";
import { ServerQuestions, type ServerQuestionsOptions } from "./ServerQuestions.ts";
import { ToolSupport } from "./ToolSupport.ts";

export interface ServerFactsOptions extends ServerQuestionsOptions, Pick<ContextWindowsOptions, "listed"> {
  readonly evidence: Pick<EvidenceWriter, "write">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

export class ServerFacts {
  /** Absent where the server's wire has nothing beside it. */
  readonly support: ToolSupport | undefined;
  readonly windows: ContextWindows;

  constructor({
    listed,
    evidence,
    answersBeside,
    ...options
  }: ServerFactsOptions & { readonly answersBeside: boolean }) {
    const { clock } = options;
    const questions = answersBeside ? new ServerQuestions(options) : undefined;
    this.support = questions && new ToolSupport({ questions, evidence, clock });
    this.windows = new ContextWindows({ questions, listed, clock });
  }
}
