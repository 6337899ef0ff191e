// Writes data tables as Markdown tables, and layout tables as their content.
import type { PageElement } from "./Dom.ts";
import { collapseLines, type MarkdownRule, matchElements } from "./MarkdownRule.ts";

/** Columns of a table, and how far a cell may reach. */
const MOST_COLUMNS = 100;

/** Delimit cells and rows until their table is assembled; no text of a page contains such characters at this point. */
const CELL = "\u0001";
const SPAN = "\u0002";
const ROW = "\u0003";

export const createTableRules: Readonly<Record<string, MarkdownRule>> = {
  cell: {
    filter: matchElements("td", "th"),
    replacement: (content, cell) =>
      isLaidOut(cell) ? block(content) : `${CELL}${readSpan(cell)}${SPAN}${collapseLines(content)}`,
  },
  row: {
    filter: matchElements("tr"),
    replacement: (content, row) => (isLaidOut(row) ? block(content) : `${content.replaceAll("\n", "")}${ROW}`),
  },
  rows: { filter: matchElements("thead", "tbody", "tfoot"), replacement: (content) => content },
  heading: { filter: matchElements("caption"), replacement: (content) => `\n\n${collapseLines(content)}\n\n` },
  table: {
    filter: matchElements("table"),
    replacement: (content, table) => (isLayout(table) ? block(content) : block(formatTable(content))),
  },
};

function block(content: string): string {
  return `\n\n${content}\n\n`;
}

const LAYOUT = "data-layout";

function isLaidOut(part: PageElement): boolean {
  const table = part.closest("table");
  return table === null || isLayout(table);
}

/** Tables that contain tables or blocks, or have one cell per row, are layout. The result is cached. */
function isLayout(table: PageElement): boolean {
  const known = table.getAttribute(LAYOUT);
  if (known !== null) return known === "yes";
  const says = /^(?:presentation|none)$/.test(table.getAttribute("role") ?? "");
  const isLayoutTable =
    says || table.querySelector("table, h1, h2, h3, pre, ul ul, form") !== null || !hasColumns(table);
  table.setAttribute(LAYOUT, isLayoutTable ? "yes" : "no");
  return isLayoutTable;
}

function hasColumns(table: PageElement): boolean {
  for (const row of table.querySelectorAll("tr")) if ([...row.children].length > 1) return true;
  return false;
}

/** Number of columns and rows that a cell spans. */
function readSpan(cell: PageElement): string {
  return ["colspan", "rowspan"]
    .map((name) => Math.max(1, Number.parseInt(cell.getAttribute(name) ?? "", 10) || 1))
    .join("x");
}

/** Text outside of the rows, and then the rows, the first as the heading. */
function formatTable(content: string): string {
  const lines = content.split(ROW);
  const beside = lines.map((line) => line.split(CELL, 1)[0] ?? "").filter((text) => text.trim() !== "");
  const rows = filled(lines.filter((line) => line.includes(CELL)).map((line) => line.split(CELL).slice(1)));
  const width = rows.reduce((widest, { length }) => Math.max(widest, length), 0);
  const written = rows.map((row) => line(Array.from({ length: width }, (_, at) => row[at] ?? "")));
  const [head = "", ...body] = written;
  return [
    ...beside.map((text) => `${text.trim()}\n`),
    head,
    line(Array.from({ length: width }, () => "---")),
    ...body,
  ].join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Repeats a cell in each row that it spans; further columns that it spans stay empty. */
function filled(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const reaching = new Map<number, { readonly text: string; readonly left: number }>();
  return rows.map((cells) => {
    const row: string[] = [];
    const fill = (): void => {
      for (let above = reaching.get(row.length); above && row.length < MOST_COLUMNS; above = reaching.get(row.length)) {
        if (above.left > 1) reaching.set(row.length, { ...above, left: above.left - 1 });
        else reaching.delete(row.length);
        row.push(above.text);
      }
    };
    for (const cell of cells) {
      fill();
      const [span = "", text = ""] = cell.split(SPAN);
      const [wide = 1, high = 1] = span.split("x").map(Number);
      for (let n = 0; n < wide && row.length < MOST_COLUMNS; n += 1) {
        const shown = n === 0 ? text.trim().replaceAll("|", "\\|") : "";
        if (high > 1) reaching.set(row.length, { text: shown, left: high - 1 });
        row.push(shown);
      }
    }
    fill();
    return row;
  });
}
