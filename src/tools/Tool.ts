// What a tool is to the gateway: a spec that models see, and code that runs. Knows no agent and no wire.
import type { ApprovalPolicy, DangerPolicy } from "../core/config/componentActions.ts";
import type { JsonObject, JsonValue, ToolSpec } from "../core/messages.ts";
import type { Redact } from "../core/ports.ts";
import type { FormAnswer, OnReject } from "../core/runs/interrupts.ts";
import type { ToolDefinition } from "../core/tools/toolDefinition.ts";
import type { KeptText } from "./execution/ResultTruncator.ts";

export interface ToolContext {
  /** The id of the run that the call belongs to. */
  readonly run: string;
  readonly callId: string;
  /** No two calls of the run share it, those of runs within included; it is the same whenever the call is made again. */
  readonly callKey: string;
  /** The name of the caller whose run it is. */
  readonly owner: string;
  /** The id of the agent. */
  readonly agent: string;
  /** Data that the agent's entry of the tool adds to each call, under the root `context` of templates; never shown to a model. */
  readonly context?: JsonObject | undefined;
  /** False where nothing of the run may last: it is not to be kept, or its model has read what somebody outside wrote. */
  readonly maySave: boolean;
  /** False where nothing of the run may last, whatever its model has read. */
  readonly isKept: boolean;
  /** False where nobody could answer: what has a person asked fails. */
  readonly interactive: boolean;
  /** What the person said whom an earlier execution of this call has asked for a form. */
  readonly answer?: FormAnswer | undefined;
  /** Has an agent do a task in a run within this one, and gives its answer. Absent where there is no run to be within. */
  readonly runAgent?: ((task: AgentTask) => Promise<ToolOutput>) | undefined;
  /** Aborted when the run ends or the tool's time is up. */
  readonly signal: AbortSignal;
}

/** What an agent is to do within a run. */
export interface AgentTask {
  /** The agent's id. */
  readonly agent: string;
  /** The id of the workflow that is to be run instead, which goes by the agent's name then. */
  readonly workflow?: string | undefined;
  readonly action?: string | undefined;
  readonly input: JsonObject;
  /** In the place of the action's task, and no template. */
  readonly task?: string | undefined;
  /** What joins the action's context. */
  readonly context?: JsonObject | undefined;
}

/** A text reaches the model as it is; what has no form of its own here, as JSON. */
export type ToolOutput = string | JsonValue | CitedOutput | MultipartOutput | NotedOutput | KeptText;

/** An output with what it rests on: a list whose elements have a `title`, a `url` or an `id`. Anything else in it is passed by. */
export class CitedOutput {
  readonly output: JsonValue;
  readonly sources: JsonValue;

  constructor(output: JsonValue, sources: JsonValue) {
    this.output = output;
    this.sources = sources;
  }
}

/** An output with a sentence about how it came to be, for the model and the log. */
export class NotedOutput {
  readonly output: JsonValue | CitedOutput;
  readonly note: string;
  /** False where the output must stay JSON: the note goes to the log alone. */
  readonly isShown: boolean;

  constructor(output: JsonValue | CitedOutput, note: string, isShown = true) {
    this.output = output;
    this.note = note;
    this.isShown = isShown;
  }
}

/** Data that is no text, in base64 as whoever gave it says. */
export interface MediaPart {
  readonly type: "media";
  readonly mimeType: string;
  readonly data: string;
}

export type OutputPart = { readonly type: "text"; readonly text: string } | MediaPart;

/** An output in parts, in their order. A model that sees is shown its images; of all other data it reads of what type and size it is. */
export class MultipartOutput {
  readonly parts: readonly OutputPart[];

  constructor(parts: readonly OutputPart[]) {
    this.parts = parts;
  }
}

export interface RunCommand {
  /** The program, and its words. */
  readonly argv: readonly string[];
}

/** How secrets are left out of an effect. */
export interface EffectRedact {
  /** Of what an approver is shown. */
  readonly shown: Redact;
  /** Of what an approval is for: keys alone, so that another text in their place is another plan. */
  readonly planned: Redact;
}

/** The effect that a call would have outside of the gateway, rendered for its approver. Neither member holds a secret. */
export interface CallEffect {
  /**
   * The end of a question that begins with `May` and the tool's name. Lines that the gateway words stand before text of the call, and
   * nothing in it is unseen.
   */
  readonly question: string;
  /** Everything that an approval of the call is for, as JSON data: equal for the same call under the same configuration. */
  readonly deed: JsonObject;
}

export interface Tool {
  readonly spec: ToolSpec;
  /** Its name in the registry, where its agent has it under another one. */
  readonly registeredAs?: string | undefined;
  /** Milliseconds; absent: the configured `tool_ms`. */
  readonly timeoutMs?: number | undefined;
  /**
   * True where running it twice does no more than running it once. A call of any other tool that may have run before its run was
   * resumed is not run again.
   */
  readonly idempotent?: boolean | undefined;
  /**
   * True where a further equal call of a run means another run of the tool, as with dice or a queue. Otherwise it is taken for
   * the model repeating itself, and gets the result of the one before.
   */
  readonly repeatable?: boolean | undefined;
  /** Whether a person must agree before a call of it runs; absent: to none that is not dangerous. */
  readonly approval?: ApprovalPolicy | undefined;
  /** Which of its calls are dangerous; absent: `on`. */
  readonly danger?: DangerPolicy | undefined;
  /** What a server outside of the gateway says that it is: a person agrees to that before a call of it runs. Absent: the gateway says it. */
  readonly definition?: ToolDefinition | undefined;
  /** True where a call of it has a task's id at once, and the work goes on beside the run's turns. */
  readonly async?: boolean | undefined;
  /** True where its result may be a question for a person. */
  readonly asks?: boolean | undefined;
  /** What a person's no means for the run; absent: `continue`, and `stop` for a dangerous call. */
  readonly onReject?: OnReject | undefined;
  /** True where its results are written by somebody outside of the gateway. */
  readonly untrusted?: boolean | undefined;
  /** True where the answer to what it asks a person may be none of the options. */
  readonly allowOther?: boolean | undefined;
  /** True where its calls are runs of their own, within the run that makes them. */
  readonly nests?: true | undefined;
  /** The id of the agent that goes on with the run once this was called. */
  readonly handsOffTo?: string | undefined;
  /** Takes the gateway's secrets out of what the model reads of its results and errors; absent where none can be in them. */
  readonly redact?: Redact | undefined;
  /** The command that a call with these arguments would run; absent: it runs none. Throws as `execute` would. */
  command?(args: JsonObject): RunCommand;
  /** True where its calls change nothing outside of the gateway; absent: where it is `idempotent`. */
  readonly readsOnly?: boolean | undefined;
  /**
   * The effect of a call with these arguments. Absent: the tool's name and its arguments say all that is known. Throws as `execute` would.
   * @param context see `ToolContext.context`.
   */
  effect?(args: JsonObject, context?: JsonObject): CallEffect;
  /** Arguments are JSON data of an object. What it throws becomes a text that the model reads, so a message must help it; an `InterruptRaised` has a person asked. */
  execute(args: JsonObject, context: ToolContext): Promise<ToolOutput>;
}
