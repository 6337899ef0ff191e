// The contract as a table: every parameter, on every wire and kind of backend, streamed and not, has the outcome that its cell states.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import pLimit from "p-limit";
import { configFor, type Gateway, startGateway } from "../flows/startGateway.ts";
import { askGateway } from "./askGateway.ts";
import { ChatServer } from "./ChatServer.ts";
import { KINDS, type Kind, strangeWords } from "./cells.ts";
import { QUESTIONS } from "./minds.ts";
import { CELLS, type Cell, PARAMETERS } from "./table.ts";

const AT_ONCE = 16;

const servers = new Map<Kind, ChatServer>();
let gateway: Gateway | undefined;
/** By the name of the cell's model. */
const outcomes = new Map<string, string>();

beforeAll(async () => {
  for (const kind of KINDS) servers.set(kind, await ChatServer.start(kind, refusalOf));
  const started = await startGateway(config());
  gateway = started;
  const limit = pLimit(AT_ONCE);
  await Promise.all(
    CELLS.map((cell) => limit(async () => outcomes.set(modelOf(cell), await outcomeOf(cell, started.client())))),
  );
});
afterAll(async () => {
  await gateway?.close();
  for (const server of servers.values()) await server.close();
});

/** An upstream a kind; each cell has a model of its own, so that what one is taught no other knows. */
function config() {
  const { upstreams, ...rest } = configFor("");
  const [like] = upstreams;
  if (like?.type !== "server") throw new TypeError("A test's upstream speaks to a server.");
  return {
    ...rest,
    upstreams: [...servers].map(([kind, { baseUrl }]) => ({ ...like, id: kind, baseUrl, models: [`*-${kind}-*`] })),
    operatorModels: [
      { match: ["*-text-*"], tools: "text" as const, why: "a server that knows no tools" },
      { match: ["*-leaky-*"], formats: ["hermes-json"], why: "a model whose calls its server does not read" },
    ],
  };
}

function modelOf({ wire, kind, form, parameter }: Cell): string {
  return `${wire}-${kind}-${form}-${PARAMETERS.indexOf(parameter)}`;
}

function refusalOf(model: string, body: string): string | undefined {
  const refusal = model.includes("-refusing-") ? PARAMETERS[Number(model.split("-").at(-1))]?.refusal : undefined;
  return refusal?.sees.test(body) ? refusal.words : undefined;
}

async function outcomeOf(cell: Cell, client: OpenAI): Promise<string> {
  const outcome = await askOnce(cell, client);
  if (!outcome.startsWith(LOST)) return outcome;
  if (cell.stated === "unsaid") return "unsaid";
  // What is found out at the end of a stream serves the next request.
  const next = cell.form === "stream" && cell.stated === "learnt" ? await askOnce(cell, client) : outcome;
  return next.startsWith(LOST) ? outcome : "learnt";
}

const LOST = "lost: ";

async function askOnce(cell: Cell, client: OpenAI): Promise<string> {
  const { parameter, kind, form } = cell;
  const model = modelOf(cell);
  const reply = await askGateway(client, { ...parameter.ask, model }, form);
  if ("code" in reply) return reply.code;
  const fault = parameter.fault(reply, answered(servers.get(kind)?.bodies.get(model) ?? []));
  const { formats, repairs, issues, attempts, mended, usage_estimated } = reply.postel;
  if (fault !== undefined) return mended.length > 0 ? "left out" : `${LOST}${fault}`;
  const isPlain =
    attempts === reply.choices.length && [formats, repairs, issues, mended].every(({ length }) => length === 0);
  return isPlain && !usage_estimated ? "kept" : "mended";
}

/** The last body with the caller's words: what the gateway asks of its own accord, behind an answer, has none. */
function answered(bodies: readonly string[]): string {
  return bodies.findLast((body) => Object.values(QUESTIONS).some((question) => body.includes(question))) ?? "";
}

describe.each(PARAMETERS.map((parameter) => [parameter.name, parameter] as const))("%s", (_name, parameter) => {
  it("has the stated outcome on every wire and backend, streamed and not", () => {
    const cells = CELLS.filter((cell) => cell.parameter === parameter);
    const places = (of: (cell: Cell) => unknown) =>
      Object.fromEntries(cells.map((cell) => [`${cell.wire} ${cell.kind} ${cell.form}`, of(cell)]));
    expect(places((cell) => outcomes.get(modelOf(cell)))).toEqual(places(({ stated }) => stated));
  });
});

afterAll(() => {
  const counts = Object.entries(Object.groupBy(outcomes.values(), (outcome) => outcome));
  const byOutcome = counts.map(([outcome, cells = []]) => `${outcome} ${cells.length}`).sort();
  process.stderr.write(`contract: ${outcomes.size} cells: ${byOutcome.join(", ")}\n`);
});

describe("the table", () => {
  it("has at least 600 cells, and none that no place could have", () => {
    expect(CELLS.length).toBeGreaterThanOrEqual(600);
    expect(PARAMETERS.flatMap(({ outcomes: stated }) => strangeWords(stated))).toEqual([]);
  });
});
