// Creates tools from a server's list: those that pass the filter, with legal names and the operator's policy.
import type { ApprovalPolicy } from "../../core/config/componentActions.ts";
import type { McpComponent, ServedToolPolicy } from "../../core/config/mcpComponent.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import { matchesPattern } from "../../core/models/namePatterns.ts";
import type { Redact } from "../../core/ports.ts";
import { buildMcpToolName } from "../../core/tools/mcpToolName.ts";
import type { ToolDefinition } from "../../core/tools/toolDefinition.ts";
import { type MatchesSchema, raiseNeeds } from "../http/raiseInterrupts.ts";
import type { Tool, ToolContext, ToolOutput } from "../Tool.ts";
import { describeMcpEffect } from "./mcpCallEffect.ts";
import { readCallResult } from "./readCallResult.ts";
import { readDefinition, type ServedDefinition } from "./readDefinition.ts";
import { deriveApproval, toDefinition } from "./toDefinition.ts";

/** A call of a server's tool. */
export interface ServerCall {
  /** The server's own name of the tool. */
  readonly name: string;
  /** The gateway's. */
  readonly tool: string;
  readonly args: JsonObject;
  /** The definition of the tool when its run began. */
  readonly definition: ToolDefinition;
  /** True if the call may be repeated although it may have had its effect. */
  readonly idempotent: boolean;
  readonly context: ToolContext;
}

export interface ServedToolServices {
  /** Returns true if a strict JSON text is valid against a JSON Schema. */
  readonly matches: MatchesSchema;
  /** Redacts results: a careless server may repeat the key that it was sent. */
  readonly redact: Redact;
  /** Escapes a text so that no call format can be read from it. */
  readonly neutralise: (text: string) => string;
}

export interface ServedToolOptions extends ServedToolServices {
  /** Returns the result as the server sent it. */
  readonly call: (call: ServerCall) => Promise<JsonObject>;
  /** Called with each dropped tool and the reason. */
  readonly onDropped: (what: string) => void;
}

export class McpToolFactory {
  readonly #component: McpComponent;
  readonly #options: ServedToolOptions;
  /** Tools by definition: the same tool object for the same definition, since much is cached by its spec. */
  #tools: ReadonlyMap<string, Tool> = new Map();

  constructor(component: McpComponent, options: ServedToolOptions) {
    this.#component = component;
    this.#options = options;
  }

  isWanted(listed: JsonValue): boolean {
    const name = isObject(listed) ? listed.name : undefined;
    if (typeof name !== "string") return false;
    const { tools, except } = this.#component;
    return covers(tools, name) && !covers(except, name);
  }

  /** If two tools would get the same name, the first is used. */
  createTools(listed: readonly JsonValue[]): readonly Tool[] {
    const { id, limits } = this.#component;
    const { neutralise, onDropped } = this.#options;
    const tools = new Map<string, Tool>();
    for (const raw of listed) {
      const definition = readDefinition(raw, limits, neutralise);
      if ("fault" in definition) {
        onDropped(definition.fault);
        continue;
      }
      const listed = isObject(raw) ? raw : {};
      const toolDefinition = toDefinition(id, definition.name, { listed, limits });
      const known = this.#tools.get(buildMcpToolName(id, definition.name));
      const tool =
        known?.definition?.hash === toolDefinition.hash
          ? known
          : this.#createTool(definition, { definition: toolDefinition, raises: deriveApproval(listed) });
      if (tools.has(tool.spec.name)) onDropped(`a second tool that would be called ${tool.spec.name}`);
      else tools.set(tool.spec.name, tool);
    }
    this.#tools = tools;
    return [...tools.values()];
  }

  /** Reason why a call is refused because the server's definition changed since the run began; undefined if it is unchanged. */
  describeChange({ server, tool, hash }: ToolDefinition): string | undefined {
    const now = this.#tools.get(buildMcpToolName(server, tool))?.definition;
    if (now?.hash === hash) return undefined;
    const changeText = now ? "says something else of this tool than" : "does not offer this tool any more as";
    return `the server \`${server}\` ${changeText} when this run began, so it was not called. Do without it; the next run has it as it is now.`;
  }

  /** @param raises approval policy from the server's annotations, if the operator sets none. */
  #createTool(
    { name, description, parameters }: ServedDefinition,
    { definition, raises }: { readonly definition: ToolDefinition; readonly raises: ApprovalPolicy | undefined },
  ): Tool {
    const { id, policy, policies, maxTimeoutMs } = this.#component;
    const { redact } = this.#options;
    const its: ServedToolPolicy = { ...policy, ...policies[name] };
    const toolName = buildMcpToolName(id, name);
    return {
      spec: { name: toolName, description: description || `A tool of the server ${id}.`, parameters },
      timeoutMs: maxTimeoutMs,
      idempotent: its.idempotent,
      repeatable: its.repeatable,
      async: its.async,
      approval: its.approval ?? raises,
      danger: its.danger,
      asks: its.interrupts !== undefined,
      untrusted: its.untrusted ?? true,
      definition,
      redact,
      effect: (args) => describeMcpEffect(this.#component, { tool: name, definition, args }, redact),
      execute: (args, context) =>
        this.#execute({ name, tool: toolName, args, context, definition, idempotent: its.idempotent === true }, its),
    };
  }

  async #execute(call: ServerCall, its: ServedToolPolicy): Promise<ToolOutput> {
    const result = await this.#options.call(call);
    const output = readCallResult(result);
    if (its.interrupts) raiseNeeds(extractAnswer(result), its, this.#options.matches);
    return output;
  }
}

/** The part of a result that a schema can validate: its structured data, or else its content. */
function extractAnswer({ structuredContent, content = null }: JsonObject): JsonValue {
  return structuredContent ?? content;
}

function covers(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesPattern(pattern, name));
}
