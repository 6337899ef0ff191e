// The rules of the house as a pure function over source texts: floors, cycles, packages, names. Reads imports by pattern; knows no compiler.

/** Source texts by their path below `src`, such as `agents/runLoop.ts`. */
export type SourceTree = ReadonlyMap<string, string>;

/** Every fault of the tree, a sentence each; empty where all rules hold. `families`: the ids of their rows, which nothing else may name. */
export function checkArchitecture(tree: SourceTree, families: Iterable<string>): readonly string[] {
  const ids = [...families];
  return [...tree]
    .flatMap(([file, text]) => [
      ...floorFaults(file, text),
      ...formatFaults(file, text),
      ...readerFaults(file, text),
      ...packageFaults(file, text),
      ...nameFaults(file),
      ...openingFaults(file, text),
      ...closureFaults(file, text),
      ...spreadFaults(file, text),
      ...vendorFaults(file, text),
      ...familyFaults(file, text, ids),
    ])
    .concat(cycleFaults(tree), nodeFaults(tree));
}

const FLOOR_2 = ["formats", "models", "network", "tools", "stores", "config", "telemetry", "transcripts", "processes"];

/** Who may import whom (design §2). A room may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  ...Object.fromEntries(FLOOR_2.map((room) => [room, ["core"]])),
  agents: ["formats", "models", "tools", "stores", "core"],
  runs: ["agents", "tools", "core"],
  sessions: ["runs", "agents", "tools", "core"],
  server: ["sessions", "runs", "agents", "stores", "models", "tools", "formats", "core", "telemetry", "config"],
  compose: ["sessions", "runs", "agents", ...FLOOR_2, "core"],
  parser: ["formats", "models", "core"],
  cli: ["compose", "server", "sessions", "runs", "agents", ...FLOOR_2, "core"],
  main: ["cli", "compose", "server", "sessions", "runs", "agents", ...FLOOR_2, "core"],
};

/** The rooms inside of `formats/`, each with those that it may import; what stands in no room is the face, and may import all (design §5). */
const FORMAT_ROOMS: Readonly<Record<string, readonly string[]>> = {
  text: [],
  bodies: ["text"],
  notation: ["bodies", "text"],
  families: ["notation", "bodies", "text"],
  fitting: ["bodies", "text"],
  turn: ["fitting", "bodies", "families", "text"],
  answers: ["turn", "fitting", "bodies", "families", "text"],
  rendering: ["families", "notation", "fitting", "bodies", "text"],
  "forms/elements": ["turn", "fitting", "bodies", "families", "text"],
  "forms/shapes": ["forms/elements", "turn", "fitting", "bodies", "families", "text"],
  "forms/wrapped": ["forms/shapes", "forms/elements", "turn", "fitting", "bodies", "families", "text"],
  "forms/headed": ["forms/wrapped", "forms/shapes", "forms/elements", "turn", "fitting", "bodies", "families", "text"],
  "forms/labelled": ["forms/headed", "forms/shapes", "answers", "turn", "fitting", "bodies", "families", "text"],
  channels: [
    ...["forms/labelled", "forms/headed", "forms/wrapped", "forms/shapes", "forms/elements"],
    ...["answers", "turn", "fitting", "bodies", "families", "text"],
  ],
};

/** Every package that the house is built from, and the rooms that may know it. What is not here is not used. */
const PACKAGE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  express: ["server"],
  openai: ["models"],
  "@anthropic-ai/sdk": ["models"],
  "@google/genai": ["models"],
  "p-retry": ["network"],
  undici: ["network"],
  "ipaddr.js": ["network"],
  pino: ["telemetry"],
  kysely: ["stores"],
  "sqlite-vec": ["stores"],
  "@apidevtools/swagger-parser": ["tools"],
  commander: ["cli"],
  "@clack/prompts": ["cli"],
  "fast-string-truncated-width": ["cli"],
  "p-limit": ["agents"],
  "eventsource-parser": ["models"],
  "@modelcontextprotocol/client": ["tools"],
  "@mozilla/readability": ["tools"],
  linkedom: ["tools"],
  turndown: ["tools"],
  yaml: ["config"],
  zod: ["config", "server", "transcripts"],
};

/** What is part of Node and still one room's. */
const BUILTIN_ROOMS: Readonly<Record<string, readonly string[]>> = {
  "node:sqlite": ["stores"],
  "node:child_process": ["processes"],
};

/** Packages that check what is written and do not run: only their types are imported, and nobody who installs the house has them. */
const TYPE_PACKAGES: ReadonlySet<string> = new Set(["@anthropic-ai/sdk", "@google/genai"]);

const VAGUE_NAMES = new Set(["utils", "util", "helpers", "helper", "common", "shared", "misc", "manager", "managers"]);

/** Names of vendors and models. "OpenAI" is missing: it is the name of the wire that the whole house speaks. */
const VENDOR_WORDS = [
  "anthropic|apertus|apriel|azure|bedrock|claude|cohere|cogito|crewai|deepseek|doubao|dspy|ernie|exaone|falcon|functionary",
  "functiongemma|gemini|gemma\\d*|gigachat|glm\\d*|google|gorilla|gpt|granite|grok|hammer|hermes|hunyuan|internlm|jamba",
  "kimi|langchain|lfm2|llama\\d*|llama\\.cpp|longcat|minicpm\\d*|minimax|mistral|mixtral|moonshot|muse|nemotron|nova|olmo\\d*",
  "ollama|openrouter|pangu|phi\\d*|plamo\\d*|qwen\\d*|qwq|raven|rwkv|sglang|smolagents|solar|toolace|vertex|vllm|xai|xlam",
].join("|");

const VENDOR_PLACES = ["models/", "formats/families/"];

interface Import {
  readonly specifier: string;
  /** The imported file below `src`; absent for packages. */
  readonly file?: string | undefined;
}

const STATEMENT = /^[ \t]*(?:import|export)\s(?:[^"'`;=]*?\sfrom\s*)?"([^"]+)"/gm;
const EXPRESSION = /\bimport\(\s*"([^"]+)"/g;

function importsOf(file: string, text: string): readonly Import[] {
  const specifiers = [STATEMENT, EXPRESSION].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]));
  return specifiers.flatMap((specifier) =>
    specifier === undefined ? [] : [{ specifier, file: target(file, specifier) }],
  );
}

function target(from: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? new URL(specifier, `file:///${from}`).pathname.slice(1) : undefined;
}

/** `main.ts`, `compose.ts` and `parser.ts` are rooms of their own. */
/** The parts of the wiring, `compose….ts`, are one room. */
function roomOf(file: string): string {
  if (/^compose[A-Z]/.test(file)) return "compose";
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : file.replace(/\.ts$/, "");
}

function floorFaults(file: string, text: string): readonly string[] {
  const room = roomOf(file);
  const allowed = MAY_IMPORT[room];
  if (!allowed) return [`${file}: ${room} is no room of the house.`];
  return importsOf(file, text).flatMap((imported) => {
    if (imported.file === undefined) return [];
    const other = roomOf(imported.file);
    return other === room || allowed.includes(other) ? [] : [`${file}: ${room} may not import ${imported.file}.`];
  });
}

/** The room inside of `formats/` in which a file stands; "" for its face, undefined for files elsewhere. */
function formatRoomOf(file: string): string | undefined {
  if (!file.startsWith("formats/")) return undefined;
  return file.slice("formats/".length, Math.max(file.lastIndexOf("/"), "formats/".length));
}

function formatFaults(file: string, text: string): readonly string[] {
  const room = formatRoomOf(file);
  if (room === undefined || room === "") return [];
  const allowed = FORMAT_ROOMS[room];
  if (!allowed) return [`${file}: formats/${room} is no room of the formats.`];
  return importsOf(file, text).flatMap(({ file: imported }) => {
    const other = imported === undefined ? undefined : formatRoomOf(imported);
    return other === undefined || other === room || allowed.includes(other)
      ? []
      : [`${file}: formats/${room} may not import ${imported}.`];
  });
}

/** Rooms of the formats whose readers may wait by themselves: those that read characters, and those that share the text among all others. */
const WAITING_ROOMS = ["text", "channels"];

/** What only the room of characters may do with a source. */
const SOURCE_MOVES = /\.(?:advance|stay)\(/;

/** A field of the turn's state that is written from outside: its own methods say what that means. */
const TURN_WRITES = /\b#?(?:turn|sink|capture)\.\w+ (?:[-+]|\?\?|\|\|)?=(?!=)/;

/** A reader that waits by itself may see chunks; one that asks `text/waiting.ts` sees characters and the end, however the text arrives. */
function readerFaults(file: string, text: string): readonly string[] {
  const room = formatRoomOf(file);
  if (room === undefined) return [];
  const waits = /\byield(?:\s+undefined)?\s*[;)]/.test(text) && !WAITING_ROOMS.includes(room);
  const moves = SOURCE_MOVES.exec(text)?.[0];
  const writes = TURN_WRITES.exec(text)?.[0];
  return [
    ...(writes === undefined ? [] : [`${file}: ${writes} … is written by a method of its own.`]),
    ...(waits ? [`${file}: a reader waits in text/waiting.ts, not by a yield of its own.`] : []),
    ...(moves !== undefined && room !== "text" ? [`${file}: ${moves}…) of a source belongs to formats/text.`] : []),
  ];
}

function packageFaults(file: string, text: string): readonly string[] {
  return importsOf(file, text).flatMap(({ specifier, file: own }) => {
    if (own !== undefined) return [];
    const builtin = specifier.startsWith("node:");
    if (builtin && !BUILTIN_ROOMS[specifier]) return [];
    const name = builtin ? specifier : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    const rooms = builtin ? BUILTIN_ROOMS[name] : PACKAGE_ROOMS[name];
    if (!rooms) return [`${file}: the package ${name} is not one of the house's.`];
    if (TYPE_PACKAGES.has(name) && text.replace(/^import type [^;]*;/gm, "").includes(`"${specifier}"`))
      return [`${file}: of ${name} only types are imported.`];
    return rooms.includes(roomOf(file)) ? [] : [`${file}: ${name} belongs to ${rooms.join(" and ")}.`];
  });
}

function nameFaults(file: string): readonly string[] {
  const parts = file.replace(/\.ts$/, "").split("/");
  const vague = parts.filter((part) => VAGUE_NAMES.has(part.toLowerCase()));
  return [
    ...vague.map((part) => `${file}: "${part}" says nothing about what is in it.`),
    ...(parts.at(-1) === "index" ? [`${file}: a barrel hides where things are.`] : []),
  ];
}

/** A shebang may precede the comment. */
function openingFaults(file: string, text: string): readonly string[] {
  return /^(?:#!.*\n)?\/\/ \S/.test(text)
    ? []
    : [`${file}: the first line must say what it is and what it refuses to know.`];
}

/** A function literal that is assigned to a property: V8 takes it for a method of a module, and puts it where only a full collection looks. */
const LASTING_CLOSURE = /\.#?\w+ (?:\?\?|\|\|)?=\s(?:async )?(?:function\b|\w+ =>|\([^=;]*\)(?:: [^=;]+)? =>)/g;

function closureFaults(file: string, text: string): readonly string[] {
  return [...text.matchAll(LASTING_CLOSURE)].map(
    ([found]) => `${file}: ${found} keeps all that the function sees until the next full collection (decisions/0101).`,
  );
}

/** Functions that take any number of arguments, and are given lists: of a long one, the arguments overflow the stack. */
const MANY_ARGUMENTS =
  /\b(?:Math\.(?:max|min)|String\.from(?:CharCode|CodePoint))(?:\.apply)?\(|\.(?:push|unshift|splice|concat|tell)(?:\.apply\(|\()/g;

function spreadFaults(file: string, text: string): readonly string[] {
  return [...text.matchAll(MANY_ARGUMENTS)].flatMap(({ 0: call, index }) =>
    call.endsWith(".apply(") || spreadsList(text, index + call.length)
      ? [`${file}: ${call}… overflows the stack where the list is long: loop over it.`]
      : [],
  );
}

/** True where an argument of the call that opens before `start` spreads a list that is not written out in its place. */
function spreadsList(text: string, start: number): boolean {
  let depth = 1;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\\n]|\\.)*"|`[^`]*`|\.\.\.(?!\[)|[()[\]{}]/g)) {
    if (token === "..." && depth === 1) return true;
    if ("([{".includes(token)) depth += 1;
    if (")]}".includes(token)) depth -= 1;
    if (depth === 0 || index > LONGEST_CALL) return false;
  }
  return false;
}

/** Characters of a call's arguments that are looked through. */
const LONGEST_CALL = 2_000;

/** Formats may write the marks that bear a vendor's name. */
function vendorFaults(file: string, text: string): readonly string[] {
  if (VENDOR_PLACES.some((place) => file.startsWith(place))) return [];
  const plain = file.startsWith("formats/") ? withoutMarks(text) : text;
  const words = [...plain.matchAll(new RegExp(`\\b(?:${VENDOR_WORDS})\\b`, "gi"))].map(([word]) => word);
  return [...new Set(words)].map(
    (word) => `${file}: "${word}" is a vendor's name; say what the case is, or move it to the data.`,
  );
}

/** A family is named by its row and, for one of them, by the row of a model that nobody knows; the models' own rows are generated. */
function familyFaults(file: string, text: string, families: readonly string[]): readonly string[] {
  if (MODEL_ROWS.includes(file)) return [];
  const own = file.startsWith("formats/families/")
    ? new Set([...text.matchAll(/^ {2}(?: {2}|\{ )id: "([^"]+)",/gm)].map(([, id]) => id))
    : new Set<string>();
  return families
    .filter((id) => text.includes(`"${id}"`) && !own.has(id))
    .map((id) => `${file}: "${id}" is a family: ask the tables by what was read.`);
}

const MODEL_ROWS = ["models/modelReading.ts", "models/readingRows.ts"];

/** Tags with a namespace (`<vendor:tool_call>`), tokens between brackets (`]<]vendor[>[`). */
function withoutMarks(text: string): string {
  return text.replace(/<\/?\w+:\w+|\]<\]\w+\[>\[/g, "");
}

/** What runs in browsers, and knows no package. */
const FREE_OF_NODE = "parser.ts";

function nodeFaults(tree: SourceTree): readonly string[] {
  const reached = new Set([FREE_OF_NODE].filter((file) => tree.has(file)));
  const faults: string[] = [];
  for (const file of reached) {
    for (const { specifier, file: own } of importsOf(file, tree.get(file) ?? "")) {
      if (own !== undefined) reached.add(own);
      else faults.push(`${file}: ${FREE_OF_NODE} reaches ${specifier}.`);
    }
  }
  return faults;
}

function cycleFaults(tree: SourceTree): readonly string[] {
  const edges = new Map(
    [...tree].map(([file, text]) => [file, importsOf(file, text).flatMap((one) => one.file ?? [])]),
  );
  const done = new Set<string>();
  const faults: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      faults.push(`${[...path.slice(start), file].join(" → ")}: a cycle.`);
      return;
    }
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return faults;
}
