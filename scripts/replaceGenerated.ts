// Replaces the generated table of a Markdown document. Two comments mark where the table begins and ends.

const END = "<!-- End of the generated table. -->";

/** Returns `document` with `table` between the comments. @throws Error if one of the comments is missing. */
export function replaceGenerated(document: string, script: string, table: string): string {
  const begin = `<!-- The table is generated: node ${script} -->`;
  const beginIndex = document.indexOf(begin);
  const endIndex = document.indexOf(END);
  if (beginIndex < 0 || endIndex < beginIndex)
    throw new Error(`${script} did not find its table. Add the comments around it: ${begin} and ${END}`);
  return `${document.slice(0, beginIndex + begin.length)}\n\n${table}\n\n${document.slice(endIndex)}`;
}
