// Checks source texts against the rules of layers, cycles, packages and names. It reads imports by a pattern.

/** Source texts by their path below `src`, such as `agents/run/runLoop.ts`. */
export type SourceTree = ReadonlyMap<string, string>;

/** Every fault of the tree, a sentence each; empty where all rules hold. `families`: the ids of their rows, which nothing else may name. */
export function checkArchitecture(tree: SourceTree, families: Iterable<string>): readonly string[] {
  const ids = [...families];
  return [...tree]
    .flatMap(([file, text]) => [
      ...findLayerViolations(file, text),
      ...findFormatViolations(file, text),
      ...findReaderViolations(file, text),
      ...findPackageViolations(file, text),
      ...findNameViolations(file),
      ...findCommentViolations(file, text),
      ...findClosureViolations(file, text),
      ...findSpreadViolations(file, text),
      ...findVendorViolations(file, text),
      ...findFormatIdViolations(file, text, ids),
    ])
    .concat(findCycles(tree), findNodeImports(tree));
}

const LAYER_2 = ["formats", "models", "network", "tools", "stores", "config", "telemetry", "transcripts", "processes"];

/** Lists the modules that each module may import (design §2). A module may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  ...Object.fromEntries(LAYER_2.map((module) => [module, ["core"]])),
  agents: ["formats", "models", "tools", "stores", "core"],
  runs: ["agents", "tools", "core"],
  sessions: ["runs", "agents", "tools", "core"],
  server: ["sessions", "runs", "agents", "stores", "models", "tools", "formats", "core", "telemetry", "config"],
  gateway: ["server", "sessions", "runs", "agents", ...LAYER_2, "core"],
  parser: ["formats", "models", "core"],
  cli: ["gateway", "server", "sessions", "runs", "agents", ...LAYER_2, "core"],
  main: ["cli", "gateway", "server", "sessions", "runs", "agents", ...LAYER_2, "core"],
};

/** Lists the folders of `formats/`, each with those that it may import. The files at its root may import all (design §5). */
const FORMAT_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  scanner: [],
  decoders: ["scanner"],
  specs: ["prompts", "decoders", "scanner"],
  validation: ["decoders", "scanner"],
  prompts: ["specs", "validation", "decoders", "scanner"],
  state: ["validation", "decoders", "specs", "scanner"],
  answers: ["state", "validation", "decoders", "specs", "scanner"],
  "grammars/elements": ["state", "validation", "decoders", "specs", "scanner"],
  "grammars/unmarked": ["grammars/elements", "state", "validation", "decoders", "specs", "scanner"],
  "grammars/wrapped": ["grammars/unmarked", "grammars/elements", "state", "validation", "decoders", "specs", "scanner"],
  "grammars/headed": [
    ...["grammars/wrapped", "grammars/unmarked", "grammars/elements"],
    ...["state", "validation", "decoders", "specs", "scanner"],
  ],
  "grammars/react": [
    ...["grammars/headed", "grammars/unmarked", "grammars/elements"],
    ...["answers", "state", "validation", "decoders", "specs", "scanner"],
  ],
  channels: [
    ...["grammars/react", "grammars/headed", "grammars/wrapped", "grammars/unmarked", "grammars/elements"],
    ...["answers", "state", "validation", "decoders", "specs", "scanner"],
  ],
};

/** Every package that the house is built from, and the modules that may know it. What is not here is not used. */
const PACKAGE_MODULES: Readonly<Record<string, readonly string[]>> = {
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
  "eventsource-parser": ["models"],
  "@modelcontextprotocol/client": ["tools"],
  "@mozilla/readability": ["tools"],
  linkedom: ["tools"],
  "fast-xml-parser": ["tools"],
  jsonrepair: ["tools"],
  turndown: ["tools"],
  yaml: ["config"],
  zod: ["config", "server", "transcripts"],
};

/** What is part of Node and still one module's. */
const BUILTIN_MODULES: Readonly<Record<string, readonly string[]>> = {
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

const VENDOR_PLACES = ["models/", "formats/specs/"];

interface Import {
  readonly specifier: string;
  /** The imported file below `src`; absent for packages. */
  readonly file?: string | undefined;
}

const STATEMENT = /^[ \t]*(?:import|export)\s(?:[^"'`;=]*?\sfrom\s*)?"([^"]+)"/gm;
const EXPRESSION = /\bimport\(\s*"([^"]+)"/g;

function readImports(file: string, text: string): readonly Import[] {
  const specifiers = [STATEMENT, EXPRESSION].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]));
  return specifiers.flatMap((specifier) =>
    specifier === undefined ? [] : [{ specifier, file: target(file, specifier) }],
  );
}

function target(from: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? new URL(specifier, `file:///${from}`).pathname.slice(1) : undefined;
}

/** `main.ts` and `parser.ts` are modules of their own. */
function getModule(file: string): string {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : file.replace(/\.ts$/, "");
}

function findLayerViolations(file: string, text: string): readonly string[] {
  const module = getModule(file);
  const allowed = MAY_IMPORT[module];
  if (!allowed) return [`${file}: ${module} is not a module of the gateway.`];
  return readImports(file, text).flatMap((imported) => {
    if (imported.file === undefined) return [];
    const other = getModule(imported.file);
    return other === module || allowed.includes(other) ? [] : [`${file}: ${module} may not import ${imported.file}.`];
  });
}

/** The module inside of `formats/` in which a file stands; "" for its face, undefined for files elsewhere. */
function getFormatFolder(file: string): string | undefined {
  if (!file.startsWith("formats/")) return undefined;
  return file.slice("formats/".length, Math.max(file.lastIndexOf("/"), "formats/".length));
}

function findFormatViolations(file: string, text: string): readonly string[] {
  const module = getFormatFolder(file);
  if (module === undefined || module === "") return [];
  const allowed = FORMAT_FOLDERS[module];
  if (!allowed) return [`${file}: formats/${module} is not a folder of formats.`];
  return readImports(file, text).flatMap(({ file: imported }) => {
    const other = imported === undefined ? undefined : getFormatFolder(imported);
    return other === undefined || other === module || allowed.includes(other)
      ? []
      : [`${file}: formats/${module} may not import ${imported}.`];
  });
}

/** Rooms of the formats whose readers may wait by themselves: those that read characters, and those that share the text among all others. */
const WAITING_FOLDERS = ["scanner", "channels"];

/** What only the module of characters may do with a source. */
const SOURCE_MOVES = /\.(?:advance|stay)\(/;

/** A field of the turn's state that is written from outside: its own methods say what that means. */
const TURN_WRITES = /\b#?(?:turn|sink|capture)\.\w+ (?:[-+]|\?\?|\|\|)?=(?!=)/;

/** A reader that waits by itself may see chunks; one that asks `scanner/combinators.ts` sees characters and the end, however the text arrives. */
function findReaderViolations(file: string, text: string): readonly string[] {
  const module = getFormatFolder(file);
  if (module === undefined) return [];
  const waits = /\byield(?:\s+undefined)?\s*[;)]/.test(text) && !WAITING_FOLDERS.includes(module);
  const moves = SOURCE_MOVES.exec(text)?.[0];
  const writes = TURN_WRITES.exec(text)?.[0];
  return [
    ...(writes === undefined ? [] : [`${file}: ${writes} … is written by a method of its own.`]),
    ...(waits ? [`${file}: a reader waits in scanner/combinators.ts, not by a yield of its own.`] : []),
    ...(moves !== undefined && module !== "scanner"
      ? [`${file}: ${moves}…) of a source belongs to formats/scanner.`]
      : []),
  ];
}

function findPackageViolations(file: string, text: string): readonly string[] {
  return readImports(file, text).flatMap(({ specifier, file: own }) => {
    if (own !== undefined) return [];
    const builtin = specifier.startsWith("node:");
    if (builtin && !BUILTIN_MODULES[specifier]) return [];
    const name = builtin ? specifier : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    const modules = builtin ? BUILTIN_MODULES[name] : PACKAGE_MODULES[name];
    if (!modules) return [`${file}: the package ${name} is not one of the gateway's.`];
    if (TYPE_PACKAGES.has(name) && text.replace(/^import type [^;]*;/gm, "").includes(`"${specifier}"`))
      return [`${file}: of ${name} only types are imported.`];
    return modules.includes(getModule(file)) ? [] : [`${file}: ${name} belongs to ${modules.join(" and ")}.`];
  });
}

function findNameViolations(file: string): readonly string[] {
  const parts = file.replace(/\.ts$/, "").split("/");
  const vague = parts.filter((part) => VAGUE_NAMES.has(part.toLowerCase()));
  return [
    ...vague.map((part) => `${file}: "${part}" says nothing about what is in it.`),
    ...(parts.at(-1) === "index" ? [`${file}: a barrel hides where things are.`] : []),
  ];
}

/** A shebang may precede the comment. */
function findCommentViolations(file: string, text: string): readonly string[] {
  return /^(?:#!.*\n)?\/\/ \S/.test(text) ? [] : [`${file}: the first line must say what the module does.`];
}

/** A function literal that is assigned to a property: V8 takes it for a method of a module, and puts it where only a full collection looks. */
const LASTING_CLOSURE = /\.#?\w+ (?:\?\?|\|\|)?=\s(?:async )?(?:function\b|\w+ =>|\([^=;]*\)(?:: [^=;]+)? =>)/g;

function findClosureViolations(file: string, text: string): readonly string[] {
  return [...text.matchAll(LASTING_CLOSURE)].map(
    ([found]) => `${file}: ${found} keeps all that the function sees until the next full collection (decisions/0101).`,
  );
}

/** Functions that take any number of arguments, and are given lists: of a long one, the arguments overflow the stack. */
const MANY_ARGUMENTS =
  /\b(?:Math\.(?:max|min)|String\.from(?:CharCode|CodePoint))(?:\.apply)?\(|\.(?:push|unshift|splice|concat|tell)(?:\.apply\(|\()/g;

function findSpreadViolations(file: string, text: string): readonly string[] {
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
function findVendorViolations(file: string, text: string): readonly string[] {
  if (VENDOR_PLACES.some((place) => file.startsWith(place))) return [];
  const plain = file.startsWith("formats/") ? stripMarkers(text) : text;
  const words = [...plain.matchAll(new RegExp(`\\b(?:${VENDOR_WORDS})\\b`, "gi"))].map(([word]) => word);
  return [...new Set(words)].map(
    (word) => `${file}: "${word}" is a vendor's name; say what the case is, or move it to the data.`,
  );
}

/** A family is named by its row and, for one of them, by the row of a model that nobody knows; the models' own rows are generated. */
function findFormatIdViolations(file: string, text: string, families: readonly string[]): readonly string[] {
  if (MODEL_ROWS.includes(file)) return [];
  const own = file.startsWith("formats/specs/")
    ? new Set([...text.matchAll(/^ {2}(?: {2}|\{ )id: "([^"]+)",/gm)].map(([, id]) => id))
    : new Set<string>();
  return families
    .filter((id) => text.includes(`"${id}"`) && !own.has(id))
    .map((id) => `${file}: "${id}" is a family: ask the tables by what was read.`);
}

const MODEL_ROWS = ["models/capabilities/parsingProfile.ts", "models/capabilities/parsingProfiles.generated.ts"];

/** Tags with a namespace (`<vendor:tool_call>`), tokens between brackets (`]<]vendor[>[`). */
function stripMarkers(text: string): string {
  return text.replace(/<\/?\w+:\w+|\]<\]\w+\[>\[/g, "");
}

/** What runs in browsers, and knows no package. */
const FREE_OF_NODE = "parser.ts";

function findNodeImports(tree: SourceTree): readonly string[] {
  const reached = new Set([FREE_OF_NODE].filter((file) => tree.has(file)));
  const faults: string[] = [];
  for (const file of reached) {
    for (const { specifier, file: own } of readImports(file, tree.get(file) ?? "")) {
      if (own !== undefined) reached.add(own);
      else faults.push(`${file}: ${FREE_OF_NODE} reaches ${specifier}.`);
    }
  }
  return faults;
}

function findCycles(tree: SourceTree): readonly string[] {
  const edges = new Map(
    [...tree].map(([file, text]) => [file, readImports(file, text).flatMap((one) => one.file ?? [])]),
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
