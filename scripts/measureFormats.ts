// How large the formats are, and how many of their functions one call runs through. Fails above what stands here; knows no behaviour.
import { readdirSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { MultiFormatOutputParser } from "../src/formats/MultiFormatOutputParser.ts";

const FORMATS = new URL("../src/formats/", import.meta.url);

/**
 * Ceilings that may only fall (52 lines were let in for words that leave before they are read, decisions/0076; 87 for texts of nothing but
 * marks and for thousands of calls that leave in slices, decisions/0112; 94 for marks that are broken in results and put back in
 * arguments, decisions/0106; 51 for the bounds of what schemas ask of many calls, decisions/0112; 22 for lists of values in which many
 * items are looked up, decisions/0112).
 * Lines and files are those of `src/formats` without `specs/`; `code` are the lines that are neither blank nor comment nor import, which nobody lowers by leaving words out.
 */
const MOST = { lines: 14_187, code: 10_218, files: 83, longestFile: 314, tracedFiles: 32, tracedFunctions: 175 };

const TRACED = 'Hello <tool_call>{"name": "f", "arguments": {}}</tool_call>';

const files = readdirSync(FORMATS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.startsWith("specs/"))
  .map((name) => readFileSync(new URL(name, FORMATS), "utf8"))
  .map((text) => ({ lines: text.split("\n").length - 1, code: codeLines(text) }));
const trace = await traced();
const found: Record<keyof typeof MOST, number> = {
  lines: files.reduce((sum, { lines }) => sum + lines, 0),
  code: files.reduce((sum, { code }) => sum + code, 0),
  files: files.length,
  longestFile: Math.max(...files.map(({ lines }) => lines)),
  tracedFiles: trace.files,
  tracedFunctions: trace.functions,
};
for (const [what, most] of Object.entries(MOST)) {
  const is = found[what as keyof typeof MOST];
  console.log(`${what.padEnd(16)} ${String(is).padStart(6)}  at most ${most}${is > most ? "  TOO MANY" : ""}`);
  if (is > most) process.exitCode = 1;
}

/** As the formatter writes a file: an import ends with the first semicolon, and a comment stands on lines of its own. */
function codeLines(text: string): number {
  const lines = text.replace(/^import [^;]*;\n/gm, "").split("\n");
  return lines.filter((line) => !/^\s*(?:$|\/\/|\/\*|\*[ /]|\*$)/.test(line)).length;
}

/** Files and functions of the formats that are entered while the text is read, as the engine counts them. */
async function traced(): Promise<{ readonly files: number; readonly functions: number }> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  const parser = new MultiFormatOutputParser({
    tools: [{ name: "f" }],
    callsAllowed: true,
    toolMode: "native",
    formats: [],
    reasoningOpened: false,
    ids: { callId: () => "call_1" },
    captureChars: 262_144,
  });
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const events = [...parser.feed(TRACED), ...parser.finish("stop")];
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  if (!events.some(({ type }) => type === "call")) throw new Error(`No call was read in ${TRACED}`);
  const entered = result
    .filter(({ url }) => url.startsWith(FORMATS.href))
    .map(
      ({ functions }) => functions.filter(({ functionName, ranges }) => functionName !== "" && ranges[0]?.count).length,
    )
    .filter((functions) => functions > 0);
  return { files: entered.length, functions: entered.reduce((sum, functions) => sum + functions, 0) };
}
