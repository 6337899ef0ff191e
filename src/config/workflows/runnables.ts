// Lists what a workflow step may run: services, programs, agents and workflows by id, each action with its parameters.
import { buildAgentToolName } from "../../core/config/agentToolNames.ts";
import {
  type ActionComponent,
  collectCommandTemplates,
  collectTemplates,
  PAGE_TEMPLATES,
} from "../../core/config/components.ts";
import { buildVectorParameters } from "../../core/config/vectorStoreComponent.ts";
import type { WorkflowConfig, WorkflowStep } from "../../core/config/workflows.ts";
import type { JsonValue } from "../../core/messages.ts";
import { findPlaceholders } from "../../core/template/fillTemplate.ts";
import { inferParameters, type Parameters } from "../../core/template/inferParameters.ts";
import { buildMcpToolName } from "../../core/tools/mcpToolName.ts";
import type { WrittenAgent } from "../agents/agents.ts";
import type { Declared } from "../load/collectDeclared.ts";
import type { WrittenStep, WrittenWorkflow } from "./workflows.ts";

export type Runnable =
  /** Its tools and their parameters are known only at run time. */
  | { readonly type: "server"; readonly actions: readonly [] }
  | { readonly type: "tool"; readonly actions: readonly ToolAction[] }
  | { readonly type: "agent"; readonly agent: WrittenAgent; readonly actions: WrittenAgent["actions"] }
  | { readonly type: "workflow"; readonly workflow: WrittenWorkflow; readonly actions: readonly [] }
  /** Only agents can use it. */
  | { readonly type: "model"; readonly actions: readonly [] };

/** An action of a service or of a program. */
interface ToolAction {
  readonly id: string;
  readonly tool: string;
  readonly parameters: Parameters;
}

export type Runnables = ReadonlyMap<string, Runnable>;

export function collectRunnables({ upstreams, tools, servers, agents, workflows }: Declared): Runnables {
  const models = upstreams.filter(({ path }) => path[0] === "components");
  return new Map<string, Runnable>([
    ...models.map(({ is }) => [is.id, { type: "model", actions: [] }] as const),
    ...tools.map(({ is }) => [is.id, { type: "tool", actions: toolActions(is) }] as const),
    ...servers.map(({ is }) => [is.id, { type: "server", actions: [] }] as const),
    ...agents.map(({ is }) => [is.id, { type: "agent", agent: is, actions: is.actions }] as const),
    ...workflows.map(({ is }) => [is.id, { type: "workflow", workflow: is, actions: [] }] as const),
  ]);
}

function toolActions(component: ActionComponent): readonly ToolAction[] {
  if (component.type === "openapi") return component.actions;
  if (component.type === "vector-store")
    return component.actions.map((action) => ({
      ...{ id: action.id, tool: action.tool },
      parameters: buildVectorParameters(action),
    }));
  if (component.type === "shell")
    return component.actions.map((action) => ({
      ...{ id: action.id, tool: action.tool },
      parameters: inferParameters(collectCommandTemplates(action), action.params),
    }));
  if (component.type === "web-scraper")
    return component.actions.map((action) => ({
      ...{ id: action.id, tool: action.tool },
      parameters: inferParameters(PAGE_TEMPLATES, action.params),
    }));
  return component.actions.map((action) => ({
    ...{ id: action.id, tool: action.tool },
    parameters: inferParameters(collectTemplates(component, action), action.params),
  }));
}

/** The action that a step names, or the only one; undefined if there is no such action, or several and none is named. */
export function findAction<Action extends { readonly id: string }>(
  actions: readonly Action[],
  named: string | undefined,
): Action | undefined {
  return named === undefined && actions.length === 1 ? actions[0] : actions.find(({ id }) => id === named);
}

/**
 * Parameters that the component of a step needs; undefined if unknown: the component does not exist, or is the workflow
 * itself.
 */
export function inferStepParameters(
  { component, action: named, task }: WrittenStep,
  runnables: Runnables,
  seen: ReadonlySet<string> = new Set(),
): Parameters | undefined {
  const runnable = runnables.get(component);
  switch (runnable?.type) {
    case "tool":
      return findAction(runnable.actions, named)?.parameters;
    case "agent": {
      const action = findAction(runnable.actions, named);
      const taskTemplate = task === undefined ? action?.task : undefined;
      // Its model is shown whatever else it is given.
      return (
        action && {
          ...inferParameters([taskTemplate ?? null, action.input ?? null, action.context ?? null]),
          additionalProperties: true,
        }
      );
    }
    case "workflow":
      return seen.has(component) ? undefined : parametersOfWorkflow(runnable.workflow, runnables, seen);
    case "server":
    case "model":
    case undefined:
      return undefined;
    default:
      return runnable satisfies never;
  }
}

/** Inputs that a workflow's templates name, and parameters of components that receive its complete input. */
function parametersOfWorkflow(
  { id, steps, output }: WrittenWorkflow,
  runnables: Runnables,
  seen: ReadonlySet<string> = new Set(),
): Parameters {
  const templates = steps.flatMap(({ task, input }) => [task ?? null, isWholeInput(input) ? null : input]);
  const stepParameters = inferParameters([...templates, output ?? null]);
  const within = new Set([...seen, id]);
  const inherited = steps.flatMap((step) =>
    isWholeInput(step.input) ? (inferStepParameters(step, runnables, within) ?? []) : [],
  );
  const all = [...inherited, stepParameters];
  return {
    type: "object",
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: [...new Set(all.flatMap(({ required }) => required))],
    additionalProperties: all.some(({ additionalProperties }) => additionalProperties),
  };
}

function isWholeInput(input: JsonValue): boolean {
  const [placeholder] = typeof input === "string" ? findPlaceholders(input) : [];
  return placeholder?.root === "input" && placeholder.path.length === 0;
}

/** The workflows in executable form: each step with the type of its component, and the required input. */
export function completeWorkflows(declared: Declared): readonly WorkflowConfig[] {
  const runnables = collectRunnables(declared);
  return declared.workflows.map(({ is }) => completeWorkflow(is, runnables));
}

function completeWorkflow(raw: WrittenWorkflow, runnables: Runnables): WorkflowConfig {
  const { id, description, steps, output } = raw;
  return {
    id,
    ...(description !== undefined && { description }),
    parameters: parametersOfWorkflow(raw, runnables),
    steps: steps.map((step) => completeStep(step, runnables)),
    ...(output !== undefined && { output }),
  };
}

function completeStep({ id, component, action, task, input }: WrittenStep, runnables: Runnables): WorkflowStep {
  const runnable = runnables.get(component);
  if (runnable?.type === "tool") {
    const { tool = component } = findAction(runnable.actions, action) ?? {};
    return { type: "tool", id, input, tool };
  }
  if (runnable?.type === "server") return { type: "tool", id, input, tool: buildMcpToolName(component, action ?? "") };
  if (runnable?.type === "workflow") return { type: "workflow", id, input, workflow: component };
  return {
    type: "agent",
    ...{ id, input, agent: component, tool: resolveAgentTool(component, runnable, action) },
    // A single action has the component's name as its tool name.
    ...(action !== undefined && (runnable?.actions.length ?? 0) > 1 && { action }),
    ...(task !== undefined && { task }),
  };
}

function resolveAgentTool(id: string, runnable: Runnable | undefined, named: string | undefined): string {
  if (runnable?.type !== "agent") return id;
  const { actions } = runnable;
  return buildAgentToolName({ id, actions }, findAction(actions, named) ?? { id });
}
