// Checks the references of workflows: components exist, and a step uses only outputs of earlier steps. Requires data that
// fits the schema.

import { isObject, type JsonValue } from "../../core/messages.ts";
import { findPlaceholders } from "../../core/template/fillTemplate.ts";
import type { ReferenceIssue } from "../load/ConfigIssue.ts";
import type { Declared, Located } from "../load/collectDeclared.ts";
import { suggestName } from "../load/suggestName.ts";
import { collectRunnables, findAction, inferStepParameters, type Runnable, type Runnables } from "./runnables.ts";
import type { WrittenStep, WrittenWorkflow } from "./workflows.ts";

export function checkWorkflows(declared: Declared): readonly ReferenceIssue[] {
  const { workflows, upstreams, tools, servers, agents } = declared;
  const runnables = collectRunnables(declared);
  const usedIds = new Set([...upstreams, ...tools, ...servers, ...agents].map(({ is }) => is.id));
  return [
    ...findDuplicates(workflows, usedIds),
    ...workflows.flatMap(({ path, is }) => [
      ...findDuplicates(
        is.steps.map((step) => ({ path: [...path, ...step.path], is: step })),
        new Set(),
      ),
      ...is.steps.flatMap((step, index) =>
        stepFaults(step, is.steps.slice(0, index), { path, workflow: is, runnables }),
      ),
      ...wiringFaults(is.output ?? null, is.steps, { path: [...path, "output"], workflow: is, runnables }),
    ]),
  ];
}

interface Surroundings {
  readonly path: ReferenceIssue["path"];
  readonly workflow: WrittenWorkflow;
  readonly runnables: Runnables;
}

function findDuplicates(
  items: readonly Located<{ readonly id: string }>[],
  usedIds: ReadonlySet<string>,
): ReferenceIssue[] {
  const seenIds = new Set(usedIds);
  return items.flatMap(({ path, is: { id } }) => {
    const fault = { path: [...path, "id"], message: `expected an id that is not taken; \`${id}\` is` };
    const duplicateIssues = seenIds.has(id) ? [fault] : [];
    seenIds.add(id);
    return duplicateIssues;
  });
}

function stepFaults(
  step: WrittenStep,
  before: readonly WrittenStep[],
  context: Surroundings,
): readonly ReferenceIssue[] {
  const { workflow, runnables } = context;
  const path = [...context.path, ...step.path];
  const runnable = runnables.get(step.component);
  const stepParameters = componentFault(step, runnable, context);
  if (stepParameters) return [{ path: [...path, stepParameters.key], message: stepParameters.message }];
  return [
    ...(runnable?.type === "agent" ? [] : taskFault(step, path)),
    ...inputFaults(step, { path, runnables }),
    ...wiringFaults(step.task ?? null, before, { ...context, path: [...path, "task"] }),
    ...wiringFaults(step.input, before, { ...context, path: [...path, "input"] }),
    ...(returns(step.component, workflow.id, runnables) ? [findCycle(step, workflow, path)] : []),
  ];
}

/** Reason why the component of a step cannot run; undefined if it can. */
function componentFault(
  { component, action }: WrittenStep,
  runnable: Runnable | undefined,
  { runnables }: Surroundings,
): { readonly key: "component" | "action"; readonly message: string } | undefined {
  const usable = [...runnables].flatMap(([id, { type }]) => (type === "model" ? [] : [id]));
  const list = usable.sort().join(", ") || "none";
  const expected = "expected the id of an agent, a service, a program or a workflow";
  if (!runnable) {
    const suggestion = suggestName(component, usable) || `; known are ${list}`;
    return { key: "component", message: `${expected}${suggestion}` };
  }
  if (runnable.type === "model")
    return { key: "component", message: `${expected}; \`${component}\` is a model: write an agent that asks it` };
  if (runnable.type === "agent" && runnable.agent.model === undefined)
    return { key: "component", message: `expected an agent with a \`model:\`, since a workflow names none` };
  if (runnable.type === "server")
    return action === undefined
      ? { key: "action", message: `expected the name of a tool that the server \`${component}\` offers` }
      : undefined;
  const actions = runnable.actions.map(({ id }) => id);
  if (runnable.type === "workflow" && action !== undefined)
    return { key: "action", message: "expected no `action`: a workflow has none" };
  if (runnable.type === "workflow" || findAction<{ readonly id: string }>(runnable.actions, action)) return undefined;
  return { key: "action", message: `expected an action of \`${component}\`: one of ${actions.join(", ")}` };
}

function taskFault({ task, component }: WrittenStep, path: ReferenceIssue["path"]): readonly ReferenceIssue[] {
  if (task === undefined) return [];
  const message = `expected no \`task\`: only an agent has one, and \`${component}\` is none; write \`input:\``;
  return [{ path: [...path, "task"], message }];
}

/** Written mappings are checked here; a value that comes completely from a placeholder is checked at run time. */
function inputFaults(
  step: WrittenStep,
  { path, runnables }: { readonly path: ReferenceIssue["path"]; readonly runnables: Runnables },
): readonly ReferenceIssue[] {
  const parameters = inferStepParameters(step, runnables);
  if (!parameters || !isObject(step.input)) return [];
  const givenKeys = new Set(Object.keys(step.input));
  const names = Object.keys(parameters.properties);
  const missing = parameters.required.filter((name) => !givenKeys.has(name));
  const unknown = parameters.additionalProperties ? [] : [...givenKeys].filter((name) => !names.includes(name));
  const requirement = `\`${step.component}\` is given ${names.join(", ") || "nothing"}`;
  return [
    ...(missing.length === 0
      ? []
      : [{ path: [...path, "input"], message: `expected \`${missing.join("`, `")}\` in it: ${requirement}` }]),
    ...unknown.map((name) => ({
      path: [...path, "input", name],
      message: `expected no \`${name}\`${suggestName(name, names) || `: ${requirement}`}`,
    })),
  ];
}

/** A step can use outputs of earlier steps; of an agent or workflow only its `response`. */
function wiringFaults(
  template: JsonValue,
  before: readonly WrittenStep[],
  { path, workflow, runnables }: Surroundings,
): readonly ReferenceIssue[] {
  const fault = (message: string): ReferenceIssue => ({ path, message });
  return findPlaceholders(template).flatMap(({ root, path: [name, field], source }) => {
    if (root === "output" && name !== undefined && !hasField(before.at(-1), name, runnables))
      return [fault(`\`${source}\` has no value: an agent's output has \`response\``)];
    if (root !== "steps" || name === undefined) return [];
    const step = before.find(({ id }) => id === name);
    if (!step) return [fault(unknownStep(name, source, { before, all: workflow.steps }))];
    return hasField(step, field, runnables)
      ? []
      : [
          fault(
            `\`${source}\` has no value: write \`\${steps.${name}.response}\`, what \`${step.component}\` answered`,
          ),
        ];
  });
}

function hasField(step: WrittenStep | undefined, field: string | undefined, runnables: Runnables): boolean {
  const type = step && runnables.get(step.component)?.type;
  return field === undefined || field === "response" || (type !== "agent" && type !== "workflow");
}

function unknownStep(
  name: string,
  source: string,
  { before, all }: { readonly before: readonly WrittenStep[]; readonly all: readonly WrittenStep[] },
): string {
  const names = before.map(({ id }) => id);
  if (all.some(({ id }) => id === name))
    return `\`${source}\` has no value yet: a step has only what steps before it brought; put \`${name}\` before it`;
  const list = names.length > 0 ? `there is ${names.join(", ")}` : "none comes before it";
  return `\`${source}\` names no step${suggestName(name, names) || `; ${list}`}`;
}

/** Returns true if a component leads back to this workflow through steps of workflows and tools of agents. */
function returns(component: string, workflow: string, runnables: Runnables): boolean {
  const seenIds = new Set<string>();
  const open = [component];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === workflow) return true;
    if (seenIds.has(next)) continue;
    seenIds.add(next);
    for (const name of listRunComponents(runnables.get(next))) open.push(name);
  }
  return false;
}

function listRunComponents(runnable: Runnable | undefined): readonly string[] {
  if (runnable?.type === "workflow") return runnable.workflow.steps.map(({ component }) => component);
  if (runnable?.type !== "agent") return [];
  return [runnable.agent, ...runnable.agent.actions].flatMap(({ tools = [] }) =>
    // An agent's action is called by `agent.action`.
    tools.flatMap(({ tool }) => [tool, tool.split(".")[0] ?? tool]),
  );
}

function findCycle({ component }: WrittenStep, { id }: WrittenWorkflow, path: ReferenceIssue["path"]): ReferenceIssue {
  const explanation = component === id ? "it would run itself" : `\`${component}\` would run it again`;
  return {
    path: [...path, "component"],
    message: `expected what does not come back to the workflow \`${id}\`: ${explanation}`,
  };
}
