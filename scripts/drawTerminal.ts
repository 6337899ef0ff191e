// A terminal's screen with its colours → a picture of it, the same for the same screen. Knows no program.

/** Pixels of a cell. */
const WIDE = 8.4;
const HIGH = 18;
/** Between the window's edge and its text. */
const EDGE = 16;

const ESCAPE = "\u001b";
const SEQUENCE = `${ESCAPE}[`;

/** As a person's own terminal would have them on a dark ground, by the numbers of the escape sequences. */
const COLOURS: Readonly<Record<number, string>> = {
  31: "#f47067",
  32: "#6bc46d",
  33: "#daaa3f",
  34: "#6cb6ff",
  35: "#dcbdfb",
  36: "#56d4dd",
  90: "#768390",
};
const PLAIN = "#d8dee9";
const DIM = "#96a0ac";
const GROUND = "#1c2128";

interface Style {
  readonly colour: string | undefined;
  readonly dim: boolean;
  readonly bold: boolean;
  readonly struck: boolean;
}

const UNSTYLED: Style = { colour: undefined, dim: false, bold: false, struck: false };

export interface ScreenToDraw {
  /** Lines with the escape sequences of colours and weights; any other sequence is refused. */
  readonly screen: string;
  readonly columns: number;
  /** What somebody reads who does not see it. */
  readonly title: string;
}

/** An SVG. @throws Error for an escape sequence that it cannot draw. */
export function drawTerminal({ screen, columns, title }: ScreenToDraw): string {
  const lines = screen.split("\n");
  const width = Math.ceil(columns * WIDE + 2 * EDGE);
  const height = lines.length * HIGH + 2 * EDGE;
  const drawn: string[] = [];
  let style = UNSTYLED;
  for (const [row, line] of lines.entries()) {
    let column = 0;
    for (const [at, piece] of line.split(SEQUENCE).entries()) {
      const { codes, text } = at === 0 ? { codes: undefined, text: piece } : coded(piece);
      if (codes !== undefined) style = styled(style, codes);
      drawn.push(...drawnRun({ text, row, column, style }));
      column += text.length;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
${drawn.join("\n")}
</g>
</svg>
`;
}

/** What stands behind the beginning of a sequence: colours and weights, then text. */
function coded(piece: string): { readonly codes: string; readonly text: string } {
  const [, codes, text] = /^([\d;]*)m(.*)$/.exec(piece) ?? [];
  if (codes === undefined || text === undefined) throw new Error(`The escape sequence of ${piece} cannot be drawn.`);
  return { codes, text };
}

function styled(before: Style, codes: string): Style {
  let style = before;
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) style = UNSTYLED;
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 2) style = { ...style, dim: true };
    else if (code === 9) style = { ...style, struck: true };
    else if (code === 22) style = { ...style, bold: false, dim: false };
    else if (code === 29) style = { ...style, struck: false };
    else if (code === 39) style = { ...style, colour: undefined };
    else if (COLOURS[code] !== undefined) style = { ...style, colour: COLOURS[code] };
    else if (code !== 49) throw new Error(`The escape sequence with ${code} cannot be drawn.`);
  }
  return style;
}

interface Run {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  readonly style: Style;
}

/** Its length is said in pixels: columns stay columns in any font. Blanks alone are not drawn. */
function drawnRun({ text, row, column, style }: Run): readonly string[] {
  const shown = text.trim();
  if (shown === "") return [];
  if (shown.startsWith("\u001b"))
    throw new Error(`A screen with ${JSON.stringify(text)} in row ${row} cannot be drawn.`);
  const x = EDGE + (column + text.length - text.trimStart().length) * WIDE;
  const y = EDGE + (row + 0.75) * HIGH;
  const fill = style.colour ?? (style.dim ? DIM : PLAIN);
  const weight = style.bold ? ' font-weight="bold"' : "";
  const line = style.struck ? ' text-decoration="line-through"' : "";
  const place = `x="${x.toFixed(1)}" y="${y}" textLength="${(shown.length * WIDE).toFixed(1)}"`;
  return [`<text ${place} fill="${fill}"${weight}${line}>${escaped(shown)}</text>`];
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
