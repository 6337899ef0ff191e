// The contract's table: all rows, their cells, and how a document shows them. Runs nothing.
import { FORMS, KINDS, type Outcome, PLACES, type Place, statedOutcome, WIRES } from "./cells.ts";
import type { Parameter } from "./Parameter.ts";
import { ANSWER_ROWS } from "./parameters/answers.ts";
import { MESSAGE_ROWS } from "./parameters/messages.ts";
import { SETTING_ROWS } from "./parameters/settings.ts";
import { TOOL_ROWS } from "./parameters/tools.ts";

export const PARAMETERS: readonly Parameter[] = [...TOOL_ROWS, ...ANSWER_ROWS, ...MESSAGE_ROWS, ...SETTING_ROWS];

export interface Cell extends Place {
  readonly parameter: Parameter;
  readonly stated: Outcome;
}

export const CELLS: readonly Cell[] = PARAMETERS.flatMap((parameter) =>
  PLACES.map((place) => ({ ...place, parameter, stated: statedOutcome(parameter.outcomes, place) })),
);

/** As a Markdown table: a row a parameter, a column a kind; a wire or form that differs from the first is named. */
export function contractTable(): string {
  const head = ["request", ...KINDS];
  const rows = PARAMETERS.map((parameter) => [parameter.name, ...KINDS.map((kind) => shown(parameter, kind))]);
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function shown({ outcomes }: Parameter, kind: Place["kind"]): string {
  const [first, ...others] = WIRES.map((wire) => {
    const [whole, stream] = FORMS.map((form) => words(statedOutcome(outcomes, { wire, kind, form })));
    return { wire, text: whole === stream ? whole : `${whole}; streamed: ${stream}` };
  });
  const different = others.filter(({ text }) => text !== first?.text);
  return [first?.text, ...different.map(({ wire, text }) => `${wire}: ${text}`)].join("; ");
}

const SHOWN: { readonly [outcome: string]: string } = {
  kept: "kept",
  mended: "kept, adapted",
  "left out": "left out",
  learnt: "from the second on",
};

function words(outcome: Outcome): string {
  return SHOWN[outcome] ?? `\`${outcome}\``;
}
