// The models of the contract's table: what each kind of backend makes of what it is shown.
import type { JsonObject } from "../../../src/core/messages.ts";
import type { Kind } from "./cells.ts";

/** A request as a model sees it, whatever the wire that it came by. */
export interface Shown {
  /** Everything that was said, in order. */
  readonly words: string;
  /** Names of the tools in the wire's own field. */
  readonly tools: readonly string[];
  readonly choice: "auto" | "none" | "required" | { readonly name: string };
  readonly oneCall: boolean;
  readonly wantsJson: boolean;
  readonly stops: readonly string[];
  /** Tokens, each a word of this model. */
  readonly limit: number;
}

export interface Said {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly end: "stop" | "length" | "calls";
  /** False where the tools never were in the prompt. */
  readonly sawTools: boolean;
}

interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

interface Habits {
  /** What becomes of the tools field. */
  readonly tools: "reads" | "leaks" | "drops";
  /** What is heeded of a request beside its words. */
  readonly heeds: ReadonlySet<"choice" | "oneCall" | "json" | "stops" | "limit">;
}

const EVERYTHING = new Set(["choice", "oneCall", "json", "stops", "limit"] as const);
/** What the server does and not the model. */
const SAMPLER = new Set(["stops", "limit"] as const);

const HABITS: Readonly<Record<Kind, Habits>> = {
  native: { tools: "reads", heeds: EVERYTHING },
  /** A server without the model's tool parser: the template shows the tools, the calls come as text, and nothing is enforced. */
  leaky: { tools: "leaks", heeds: SAMPLER },
  /** A server that would refuse `tools`; its row says so. */
  text: { tools: "drops", heeds: SAMPLER },
  /** A server that takes every field and heeds none but the limit. */
  dropped: { tools: "drops", heeds: new Set(["limit"]) },
  /** As `native`, but for the one parameter that it says no to. */
  refusing: { tools: "reads", heeds: EVERYTHING },
};

export const QUESTIONS = {
  one: "How warm is it in Oslo?",
  two: "How warm is it in Oslo and in Bergen?",
  greeting: "Say hello.",
  profile: "Who is Ada?",
  count: "Count to nine.",
  program: "Run the program.",
  strictly: "Run the program strictly.",
} as const;

export const GREETING = "Hello there, my friend.";
export const COUNT = "one two three four five six seven eight nine";
export const PROFILE = '{"name":"Ada","age":36}';
/** What the weather tool says, by city, and what a model that read it says. */
export const RESULTS = { Oslo: "14 degrees", Bergen: "11 degrees" } as const;

/** What a model of this kind says. It obeys whoever tells it that its answer was wrong, and nobody before. */
export function think(shown: Shown, kind: Kind): Said {
  const habits = HABITS[kind];
  const known = knownTools(shown, habits);
  const wanted = habits.heeds.has("choice") && shown.choice === "none" ? [] : wantedCalls(shown, habits);
  const calls = withinReach(wanted, known);
  const sawTools = habits.tools !== "drops";
  if (calls.length === 0) return { ...sampled(wordsOf(shown, habits), shown, habits), calls: [], sawTools };
  const most = habits.heeds.has("oneCall") && shown.oneCall ? 1 : calls.length;
  const made = calls.slice(0, most);
  if (habits.tools === "reads" && shown.tools.length > 0) return { text: "", calls: made, end: "calls", sawTools };
  return { ...sampled(made.map(leaked).join("\n"), shown, habits), calls: [], sawTools };
}

/** Who must call and may not call what it would like to calls what it may. */
function withinReach(wanted: readonly Call[], known: readonly string[]): readonly Call[] {
  const calls = wanted.filter(({ name }) => known.includes(name));
  const [only] = known;
  if (calls.length > 0 || wanted.length === 0 || only === undefined) return calls;
  return [{ name: only, arguments: { city: "Oslo" } }];
}

const NAMES = ["get_weather", "get_time", "run_program"];

/** Of the field where it is read, else of the prompt's own words. */
function knownTools({ tools, words }: Shown, habits: Habits): readonly string[] {
  const told = NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(words));
  return habits.tools === "drops" ? told : [...tools, ...told];
}

function wantedCalls({ words, choice }: Shown, habits: Habits): readonly Call[] {
  const question = questionIn(words);
  const weather = (city: string): Call => ({ name: "get_weather", arguments: { city } });
  const scolded = /Your answer has no tool call|is required; a call to|You called a tool that does not exist/.test(
    words,
  );
  const only =
    /\bmust call the tool (\w+)|\bA call to (\w+) is required|Your answer has no tool call\D*must call (\w+)\b/.exec(
      words,
    );
  const demanded = habits.heeds.has("choice") && typeof choice === "object" ? choice.name : undefined;
  const name = demanded ?? (scolded ? (only?.[1] ?? only?.[2] ?? only?.[3]) : undefined);
  if (name === "get_time") return [{ name, arguments: { city: "Oslo" } }];
  if (words.includes(RESULTS.Oslo)) return [];
  if (question === QUESTIONS.strictly) {
    // Without its server's grammar such a model writes the right form once it was told that it is wrong.
    const isRight = habits.heeds.has("choice") || words.includes("do not fit");
    return [{ name: "run_program", arguments: { input: isRight ? "print 42" : "Print 42, please" } }];
  }
  if (question === QUESTIONS.program) return [{ name: "run_program", arguments: { input: "print 42" } }];
  if (question === QUESTIONS.two) return [weather("Oslo"), weather("Bergen")];
  const must = scolded || (habits.heeds.has("choice") && choice === "required");
  return must || question === QUESTIONS.one ? [weather("Oslo")] : [];
}

/** The form that Hermes models were trained on, which is also the one that the gateway asks unknown models for. */
function leaked(call: Call): string {
  return `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`;
}

/** What was asked last; a correction asks for the same again. */
function questionIn(words: string): string {
  const places = Object.values(QUESTIONS).map((question) => ({ question, at: words.lastIndexOf(question) }));
  return places.reduce((last, one) => (one.at > last.at ? one : last)).question;
}

function wordsOf({ words, wantsJson }: Shown, habits: Habits): string {
  const question = questionIn(words);
  const told = wantsJson || words.includes("Write your final answer as one JSON");
  if (question === QUESTIONS.profile || told) {
    if (habits.heeds.has("json") && told) return PROFILE;
    // Told off, such a model gives the right object, but in a fence and with its number as a text.
    if (words.includes("does not have the form")) return '```json\n{"name":"Ada","age":"36"}\n```';
    return "Ada is thirty-six years old.";
  }
  if (words.includes(RESULTS.Bergen)) return `It is ${RESULTS.Oslo} in Oslo and ${RESULTS.Bergen} in Bergen.`;
  if (words.includes(RESULTS.Oslo)) return `It is ${RESULTS.Oslo} in Oslo.`;
  if (question === QUESTIONS.count) return COUNT;
  return question === QUESTIONS.greeting ? GREETING : "I cannot look that up.";
}

/** What the servers of the table count: words, each with the space before it. */
export function tokensIn(text: string): readonly string[] {
  return text.match(/\s*\S+/g) ?? [];
}

function sampled(text: string, { stops, limit }: Shown, habits: Habits): Pick<Said, "text" | "end"> {
  const places = habits.heeds.has("stops") ? stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0) : [];
  const kept = text.slice(0, Math.min(text.length, ...places));
  const tokens = tokensIn(kept);
  if (!habits.heeds.has("limit") || tokens.length <= limit) return { text: kept, end: "stop" };
  return { text: tokens.slice(0, limit).join(""), end: "length" };
}
