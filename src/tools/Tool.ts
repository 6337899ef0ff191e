// The tool interface: a spec that models see, and code that runs.
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
  /** Unique among the calls of the run and its nested runs; the same whenever the call is repeated. */
  readonly callKey: string;
  /** Name of the caller whose run it is. */
  readonly owner: string;
  /** The id of the agent. */
  readonly agent: string;
  /** Data that the agent's entry of the tool adds to each call, under the template root `context`; never shown to a model. */
  readonly context?: JsonObject | undefined;
  /** False if nothing of the run may be saved: the run is not stored, or its model has read untrusted content. */
  readonly maySave: boolean;
  /** False if nothing of the run may be saved, whatever its model has read. */
  readonly isKept: boolean;
  /** False if no user can answer; an interrupt then fails. */
  readonly interactive: boolean;
  /** The answer to the form that an earlier execution of this call asked for. */
  readonly answer?: FormAnswer | undefined;
  /** Runs a task with an agent in a nested run, and returns its answer. Absent outside of a run. */
  readonly runAgent?: ((task: AgentTask) => Promise<ToolOutput>) | undefined;
  /** Aborted when the run ends or the tool times out. */
  readonly signal: AbortSignal;
}

/** A task for an agent within a run. */
export interface AgentTask {
  /** The agent's id. */
  readonly agent: string;
  /** Id of the workflow that runs instead, under the agent's name. */
  readonly workflow?: string | undefined;
  readonly action?: string | undefined;
  readonly input: JsonObject;
  /** Replaces the action's task; it is no template. */
  readonly task?: string | undefined;
  /** Data merged into the action's context. */
  readonly context?: JsonObject | undefined;
}

/** A text reaches the model unchanged; other data as JSON. */
export type ToolOutput = string | JsonValue | CitedOutput | MultipartOutput | NotedOutput | KeptText;

/** An output with its sources: a list whose elements have a `title`, a `url` or an `id`. Other members are ignored. */
export class CitedOutput {
  readonly output: JsonValue;
  readonly sources: JsonValue;

  constructor(output: JsonValue, sources: JsonValue) {
    this.output = output;
    this.sources = sources;
  }
}

/** An output with a note about its origin, for the model and the log. */
export class NotedOutput {
  readonly output: JsonValue | CitedOutput;
  readonly note: string;
  /** False if the output must stay JSON: the note is only logged. */
  readonly isShown: boolean;

  constructor(output: JsonValue | CitedOutput, note: string, isShown = true) {
    this.output = output;
    this.note = note;
    this.isShown = isShown;
  }
}

/** Binary data in base64, as its source declares. */
export interface MediaPart {
  readonly type: "media";
  readonly mimeType: string;
  readonly data: string;
}

export type OutputPart = { readonly type: "text"; readonly text: string } | MediaPart;

/** An output of several parts in order. A model with vision receives the images; for other data it reads the type and size. */
export class MultipartOutput {
  readonly parts: readonly OutputPart[];

  constructor(parts: readonly OutputPart[]) {
    this.parts = parts;
  }
}

export interface RunCommand {
  /** The program and its arguments. */
  readonly argv: readonly string[];
}

/** Functions that remove secrets from an effect. */
export interface EffectRedact {
  /** Used for the text shown to an approver. */
  readonly shown: Redact;
  /**
   * Used for the plan that is approved: replaces only known secrets, so that any other change of the text gives another plan.
   */
  readonly planned: Redact;
}

/** The effect of a call outside of the gateway, rendered for its approver. Neither member contains a secret. */
export interface CallEffect {
  /**
   * End of a question that begins with `May` and the tool's name. Lines of the gateway precede the text of the call, in which
   * nothing is invisible.
   */
  readonly question: string;
  /** The content of an approval as JSON data: equal for the same call under the same configuration. */
  readonly deed: JsonObject;
}

export interface Tool {
  readonly spec: ToolSpec;
  /** Its name in the registry, if its agent uses another one. */
  readonly registeredAs?: string | undefined;
  /** Milliseconds; absent: the configured `tool_ms`. */
  readonly timeoutMs?: number | undefined;
  /**
   * True if running it twice has no further effect. Any other tool's call that may have run before its run was resumed is not
   * run again.
   */
  readonly idempotent?: boolean | undefined;
  /**
   * True if a further equal call in a run must execute the tool again, as with dice or a queue. Otherwise the call counts as
   * a repetition by the model, and gets the previous result.
   */
  readonly repeatable?: boolean | undefined;
  /** Policy that decides if a call needs an approval; absent: only risky calls do. */
  readonly approval?: ApprovalPolicy | undefined;
  /** Policy that decides if a call counts as risky; absent: `on`. */
  readonly danger?: DangerPolicy | undefined;
  /** Definition sent by an external server: an approver accepts it before a call runs. Absent: the gateway defines the tool. */
  readonly definition?: ToolDefinition | undefined;
  /** True if a call returns a task id at once and continues in the background. */
  readonly async?: boolean | undefined;
  /** True if a result may ask the user a question. */
  readonly asks?: boolean | undefined;
  /** Effect of a rejection on the run; absent: `continue`, and `stop` for a risky call. */
  readonly onReject?: OnReject | undefined;
  /** True if results contain content from outside of the gateway. */
  readonly untrusted?: boolean | undefined;
  /** True if the answer to its question may differ from the options. */
  readonly allowOther?: boolean | undefined;
  /** True if its calls are nested runs. */
  readonly nests?: true | undefined;
  /** Id of the agent that continues the run after a call. */
  readonly handsOffTo?: string | undefined;
  /** Removes the gateway's secrets from results and errors before the model reads them; absent if they cannot contain any. */
  readonly redact?: Redact | undefined;
  /** The command that a call with these arguments would run; absent: it runs none. Throws as `execute` would. */
  command?(args: JsonObject): RunCommand;
  /** True if its calls change nothing outside of the gateway; absent: true if it is `idempotent`. */
  readonly readsOnly?: boolean | undefined;
  /**
   * The effect of a call with these arguments. Absent: the tool's name and arguments describe it completely. Throws as
   * `execute` would. @param context see `ToolContext.context`.
   */
  effect?(args: JsonObject, context?: JsonObject): CallEffect;
  /**
   * Arguments are a JSON object. The model reads the message of an exception, so it must be helpful; an `InterruptRaised`
   * asks the user.
   */
  execute(args: JsonObject, context: ToolContext): Promise<ToolOutput>;
}
