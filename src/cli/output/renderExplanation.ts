// Renders an explained text for a terminal: the text in colours, then one line per span.
import { styleText } from "node:util";
import type { ExplainedSpan } from "../../formats/explain.ts";
import { escapeHidden } from "../../telemetry/escapeControls.ts";

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<ExplainedSpan["kind"], Style>> = {
  content: [],
  reasoning: "cyan",
  call: "green",
  issue: "red",
  dropped: "dim",
};

/** Characters of a span that its line shows. */
const SHOWN = 60;

/** Colours depend on `output` (a terminal or not, NO_COLOR, FORCE_COLOR). */
export function renderExplanation(spans: readonly ExplainedSpan[], output: NodeJS.WriteStream): string {
  const paint = (style: Style, text: string): string => styleText(style, text, { stream: output });
  const text = spans
    .map((span) =>
      paint(STYLES[span.kind], span.kind === "dropped" ? visibleBlanks(span.text) : escapeHidden(span.text)),
    )
    .join("");
  const lines = spans.map((span) => {
    const head = `${String(span.at).padStart(6)}  ${span.kind.padEnd(9)}`;
    return `${paint(STYLES[span.kind], head)}  ${describe(span)}`;
  });
  return `${text}\n\n${lines.join("\n")}\n`;
}

function describe(span: ExplainedSpan): string {
  const { kind, tool, family, repairs = [], code, why: reason } = span;
  const facts = [
    kind === "call" ? `${tool} (${family}${repairs.length > 0 ? `, repaired: ${repairs.join(", ")}` : ""})` : "",
    kind === "issue" ? `${code}${family === undefined ? "" : ` (${family})`}: ${reason}` : "",
    kind === "dropped" ? reason : "",
    kind === "content" && reason !== undefined
      ? `is text and no call${family === undefined ? "" : ` (tried as ${family})`}: ${reason}`
      : "",
  ];
  return [excerpt(span), ...facts].filter((part) => part !== "").join("  ");
}

function excerpt({ text, kind }: ExplainedSpan): string {
  if (text === "") return kind === "call" ? "of the same block" : "";
  const argumentText = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return `"${visibleBlanks(argumentText).replaceAll("\n", "")}"`;
}

/** White space as signs, so that dropped white space can be seen. */
function visibleBlanks(text: string): string {
  return escapeHidden(text).replaceAll(" ", "·").replaceAll("\t", "→").replaceAll("\n", "⏎\n");
}
