// Draws a terminal screen with its colours as an SVG. The same screen always gives the same SVG.

/** Size of a character cell in pixels. */
const CELL_WIDTH = 8.4;
const CELL_HEIGHT = 18;
/** Space between the edge of the picture and the text, in pixels. */
const PADDING = 16;
/** Distance from the top of a row to the baseline of its text, as a fraction of the row's height. */
const BASELINE = 0.75;

const ESCAPE = "\u001b";
const CONTROL_SEQUENCE = `${ESCAPE}[`;

/** The colours of a dark terminal theme, by the numbers of SGR escape sequences. */
const COLOURS: Readonly<Record<number, string>> = {
  31: "#f47067",
  32: "#6bc46d",
  33: "#daaa3f",
  34: "#6cb6ff",
  35: "#dcbdfb",
  36: "#56d4dd",
  90: "#768390",
};
const TEXT_COLOUR = "#d8dee9";
const DIM_COLOUR = "#96a0ac";
const BACKGROUND = "#1c2128";

interface Style {
  readonly colour: string | undefined;
  readonly dim: boolean;
  readonly bold: boolean;
  readonly struck: boolean;
}

const DEFAULT_STYLE: Style = { colour: undefined, dim: false, bold: false, struck: false };

/** A screen to draw. */
export interface ScreenToDraw {
  /** Lines of text with SGR escape sequences, which set colours and styles. */
  readonly screen: string;
  /** Width of the terminal. */
  readonly columns: number;
  /** Description of the picture for screen readers. */
  readonly title: string;
}

/** Returns the SVG. @throws Error if the screen has an escape sequence other than the supported colours and styles. */
export function drawTerminal({ screen, columns, title }: ScreenToDraw): string {
  const lines = screen.split("\n");
  const width = Math.ceil(columns * CELL_WIDTH + 2 * PADDING);
  const height = lines.length * CELL_HEIGHT + 2 * PADDING;
  const elements: string[] = [];
  let style = DEFAULT_STYLE;
  for (const [row, line] of lines.entries()) {
    let column = 0;
    for (const [index, segment] of line.split(CONTROL_SEQUENCE).entries()) {
      const { codes, text } = index === 0 ? { codes: undefined, text: segment } : parseSegment(segment);
      if (codes !== undefined) style = applyCodes(style, codes);
      elements.push(...drawText({ text, row, column, style }));
      column += text.length;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
${elements.join("\n")}
</g>
</svg>
`;
}

/** Splits what follows `ESC [` into the codes of the sequence and the text behind it. */
function parseSegment(segment: string): { readonly codes: string; readonly text: string } {
  const [, codes, text] = /^([\d;]*)m(.*)$/.exec(segment) ?? [];
  if (codes === undefined || text === undefined)
    throw new Error(`The escape sequence before ${JSON.stringify(segment)} cannot be drawn: only SGR sequences can.`);
  return { codes, text };
}

function applyCodes(current: Style, codes: string): Style {
  let style = current;
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) style = DEFAULT_STYLE;
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 2) style = { ...style, dim: true };
    else if (code === 9) style = { ...style, struck: true };
    else if (code === 22) style = { ...style, bold: false, dim: false };
    else if (code === 29) style = { ...style, struck: false };
    else if (code === 39) style = { ...style, colour: undefined };
    else if (COLOURS[code] !== undefined) style = { ...style, colour: COLOURS[code] };
    else if (code !== 49) throw new Error(`The SGR code ${code} cannot be drawn. Add it to applyCodes.`);
  }
  return style;
}

/** A text of one style. */
interface StyledText {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  readonly style: Style;
}

/** Returns the element of a text, or none for spaces. `textLength` keeps the columns aligned in any font. */
function drawText({ text, row, column, style }: StyledText): readonly string[] {
  const visible = text.trim();
  if (visible === "") return [];
  if (visible.startsWith(ESCAPE))
    throw new Error(`Row ${row} cannot be drawn: ${JSON.stringify(text)} has an escape sequence other than SGR.`);
  const x = PADDING + (column + text.length - text.trimStart().length) * CELL_WIDTH;
  const y = PADDING + (row + BASELINE) * CELL_HEIGHT;
  const fill = style.colour ?? (style.dim ? DIM_COLOUR : TEXT_COLOUR);
  const weight = style.bold ? ' font-weight="bold"' : "";
  const decoration = style.struck ? ' text-decoration="line-through"' : "";
  const position = `x="${x.toFixed(1)}" y="${y}" textLength="${(visible.length * CELL_WIDTH).toFixed(1)}"`;
  return [`<text ${position} fill="${fill}"${weight}${decoration}>${escapeXml(visible)}</text>`];
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
