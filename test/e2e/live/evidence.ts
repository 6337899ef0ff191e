// The tables of docs/benchmarks.md: lines of this run take the place of their like, all others stay.

export interface EvidenceTable {
  /** The word in the marks between which the table stands. */
  readonly name: string;
  /** The first two columns say what a line is about. */
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** Orders lines by what they are about; nothing for what is not measured any more. */
export type Place = (model: string, way: string) => number | undefined;

/** The document with the table's lines in it. Throws where the document has no marks for it. */
export function withEvidence(document: string, { name, head, lines }: EvidenceTable, place: Place): string {
  const [open, close] = [`<!-- ${name}: written by npm run test:live -->`, `<!-- end of ${name} -->`];
  const from = document.indexOf(open) + open.length;
  const to = document.indexOf(close);
  if (from < open.length || to < from) throw new Error(`docs/benchmarks.md has no \`${open}\` … \`${close}\`.`);
  const byKey = new Map([...linesOf(document.slice(from, to)), ...lines].map((line) => [keyOf(line), line]));
  const placed = [...byKey.values()].flatMap((line) => {
    const at = place(line[0] ?? "", line[1] ?? "");
    return at === undefined ? [] : [{ at, line }];
  });
  const sorted = placed.sort((a, b) => a.at - b.at).map(({ line }) => written(line));
  const table = [written(head), `|${head.map(() => "---|").join("")}`, ...sorted].join("\n");
  return `${document.slice(0, from)}\n\n${table}\n\n${document.slice(to)}`;
}

/** One line of a table. */
export function written(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function linesOf(table: string): readonly (readonly string[])[] {
  const lines = table.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(1).map((line) => line.slice(2, -2).split(" | "));
}

function keyOf([model, way]: readonly string[]): string {
  return `${model}\n${way}`;
}
