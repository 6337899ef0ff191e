// Creates the tools of a `shell` component, one for each action. The injected ProcessPort starts the programs.

import type { Credentials } from "../../core/config/Credentials.ts";
import { collectCommandTemplates, type ShellActionConfig, type ShellComponent } from "../../core/config/components.ts";
import type { ProcessEnd, ProcessPort, Redact } from "../../core/ports.ts";
import { fillTemplate, stringifyValue } from "../../core/template/fillTemplate.ts";
import { inferParameters } from "../../core/template/inferParameters.ts";
import { type MatchesSchema, raiseNeeds } from "../http/raiseInterrupts.ts";
import type { Tool, ToolOutput } from "../Tool.ts";
import { describeCommandEffect } from "./commandEffect.ts";
import { fillCommand } from "./fillCommand.ts";

/** Bytes that a program may write; more than a model could be shown in many looks. */
const MAX_OUTPUT_BYTES = 1_048_576;
/** Milliseconds after its timeout within which a program must end, until its tool gives up. */
const SETTLE_MS = 5_000;

export interface ShellOptions {
  readonly processes: ProcessPort;
  /** Credentials of callers for programs. */
  readonly credentials: Credentials;
  readonly matches: MatchesSchema;
  /** Redacts the output of programs. */
  readonly redact: Redact;
  /** Removes only known keys from a plan; absent: `redact`. */
  readonly redactKeys?: Redact | undefined;
}

export function createShellTools(component: ShellComponent, options: ShellOptions): readonly Tool[] {
  const { redact, redactKeys = redact } = options;
  const masks = { shown: redact, planned: redactKeys };
  return component.actions.map((action) => ({
    spec: {
      name: action.tool,
      description: action.description ?? component.description,
      parameters: inferParameters(collectCommandTemplates(action), action.params),
    },
    timeoutMs: action.timeoutMs + SETTLE_MS,
    idempotent: action.idempotent,
    repeatable: action.repeatable,
    async: action.async,
    approval: action.approval,
    danger: action.danger,
    asks: action.interrupts !== undefined,
    untrusted: action.untrusted ?? true,
    redact,
    command: (args) => ({ argv: fillCommand(action, args).argv }),
    effect: (args) => describeCommandEffect(component, fillCommand(action, args), masks),
    async execute(args, { run, callId, owner, signal }) {
      const { cwd } = component;
      const env = buildEnvironment(owner, component.env, options.credentials);
      const { program, timeoutMs } = action;
      const fixed = { program, cwd, env, timeoutMs, maxOutput: MAX_OUTPUT_BYTES, purpose: { run, callId } };
      const end = await options.processes.run({ ...fixed, ...fillCommand(action, args) }, signal);
      return readEnd(end, action, options.matches);
    },
  }));
}

/** @throws Error for a credential that a variable needs and the owner lacks. */
function buildEnvironment(owner: string, env: ShellComponent["env"], credentials: Credentials): Record<string, string> {
  const scope = { owner: credentials.scopeFor(owner, [env]) };
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, stringifyValue(fillTemplate(value, scope))]),
  );
}

/** @throws Error with the output of a failed program; InterruptRaised if the user is asked about the result. */
function readEnd(end: ProcessEnd, action: ShellActionConfig, matches: MatchesSchema): ToolOutput {
  if (end.type === "refused") throw new Error(end.reason);
  const result = { stdout: end.stdout, stderr: end.stderr, exit_code: end.exitCode };
  raiseNeeds(result, action, matches);
  if (end.exitCode !== 0 || end.stopped !== undefined) throw new Error(failed(end, action.timeoutMs));
  return action.output === undefined ? result : fillTemplate(action.output, { result });
}

function failed(end: Extract<ProcessEnd, { type: "ended" }>, timeoutMs: number): string {
  const { exitCode, signal, stopped, stdout, stderr } = end;
  const how =
    stopped === "timeout"
      ? `the program took longer than ${timeoutMs} ms and was stopped; what it has done until then is done`
      : stopped === "output"
        ? `the program wrote more than ${MAX_OUTPUT_BYTES} bytes and was stopped; the output is truncated`
        : exitCode === null
          ? `the program was ended by ${signal ?? "a signal"}`
          : `the program ended with exit code ${exitCode}`;
  return `${how}.\nstderr: ${stderr || "(nothing)"}\nstdout: ${stdout || "(nothing)"}`;
}
