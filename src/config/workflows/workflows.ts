// Schema of workflows: one component, or steps with connected outputs.
import { z } from "zod";
import { DEFAULT_WORKFLOW } from "../../core/config/workflows.ts";
import { isObject, type JsonValue } from "../../core/messages.ts";
import { identifier, listField, nonEmptyText } from "../fields.ts";
import { createJsonTemplateField, createTextTemplateField, type Roots } from "../templates.ts";

/** A step as written, with its path below the workflow. */
export interface WrittenStep {
  readonly path: readonly (string | number)[];
  readonly id: string;
  readonly component: string;
  readonly action?: string | undefined;
  /** A template. */
  readonly task?: string | undefined;
  /** A template of an object. */
  readonly input: JsonValue;
}

/** A workflow of one component has one step, of the component's id. */
export interface WrittenWorkflow {
  readonly id: string;
  readonly description?: string | undefined;
  readonly steps: readonly WrittenStep[];
  /** A template; absent: the output of the last step. */
  readonly output?: JsonValue | undefined;
}

const OF_INPUT: Roots = { roots: ["input"] };
const OF_STEPS: Roots = { roots: ["input", "steps"] };
const OF_OUTPUT: Roots = { roots: ["input", "output"] };

/** An entry of `workflows:`. */
export function createWorkflowSchema() {
  return workflowFields().extend({ id: identifier() }).superRefine(checkForm).transform(toWorkflow);
}

/** The section `workflow:`, the one that needs no name. */
export function createSingleWorkflowSchema() {
  return workflowFields()
    .extend({ id: identifier().default(DEFAULT_WORKFLOW) })
    .superRefine(checkForm)
    .transform(toWorkflow);
}

/** A component of type `workflow`, with the same keys as an entry of `workflows:`. */
export function createWorkflowComponentSchema() {
  return workflowFields()
    .extend({ id: identifier(), type: z.literal("workflow") })
    .superRefine(checkForm)
    .transform(({ type, ...raw }) => ({ type, workflow: toWorkflow(raw) }));
}

function workflowFields() {
  return z.strictObject({
    description: nonEmptyText("a description").optional(),
    ...stepFields(OF_INPUT),
    component: componentId().optional(),
    steps: listField(stepSchema(), "steps").min(1, { error: "expected at least one step" }).optional(),
    output: createJsonTemplateField({ roots: ["input", "output", "steps"] }).optional(),
  });
}

function stepSchema() {
  return z.strictObject({ id: identifier(), component: componentId(), ...stepFields(OF_STEPS) });
}

function stepFields(allowed: Roots) {
  return {
    action: identifier().optional(),
    task: createTextTemplateField(allowed).optional(),
    input: createJsonTemplateField(allowed).superRefine(checkInput).optional(),
  };
}

function componentId() {
  return nonEmptyText("a component's id");
}

/** The input of a component consists of named values: a mapping, or a placeholder of one. */
function checkInput(input: JsonValue, context: z.RefinementCtx): void {
  if (isObject(input) || (typeof input === "string" && /^\s*\$\{[^}]*\}\s*$/.test(input))) return;
  context.addIssue({ code: "custom", message: `expected a mapping of values, or \`\${input}\` for the whole input` });
}

type Written = z.output<ReturnType<typeof workflowFields>> & { readonly id: string };

/** A workflow is one component or it has steps; each form has keys of its own. */
function checkForm(raw: Written, context: z.RefinementCtx): void {
  const { component, steps, action, task, input, output } = raw;
  const fail = (path: string[], message: string): void => context.addIssue({ code: "custom", path, message });
  if ((component === undefined) === (steps === undefined))
    fail([], "expected one of `component:`, what the workflow runs, and `steps:`, a list of such");
  const unexpected = Object.entries({ action, task, input }).filter(([, value]) => steps && value !== undefined);
  for (const [key] of unexpected) fail([key], `expected no \`${key}\` beside \`steps\`: write it in a step`);
  const roots = steps ? OF_STEPS : OF_OUTPUT;
  for (const issue of createJsonTemplateField(roots).safeParse(output ?? null).error?.issues ?? [])
    context.addIssue({ code: "custom", path: ["output", ...issue.path], message: issue.message });
}

function toWorkflow({ id, description, component, steps, action, task, input, output }: Written): WrittenWorkflow {
  const only = { path: [], id: component ?? id, component: component ?? "", action, task, input: input ?? {} };
  return {
    id,
    description,
    steps: steps ? steps.map((step, index) => ({ path: ["steps", index], ...step, input: step.input ?? {} })) : [only],
    output,
  };
}
