// Holds one wire's cells of the contract's table, or a sample of them, against servers of every kind, through the gateway and the official client.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type OpenAI from "openai";
import { Semaphore } from "../../../src/core/async/Semaphore.ts";
import { sampleOf } from "../sample.ts";
import { configFor, type RunningGateway, startGateway } from "../startGateway.ts";
import { askGateway } from "./askGateway.ts";
import { type Backend, startBackend } from "./backends.ts";
import { KINDS, type Kind, type Wire } from "./cells.ts";
import { QUESTIONS } from "./minds.ts";
import { CELLS, type Cell, PARAMETERS } from "./table.ts";

const AT_ONCE = 16;
/** For all cells of a wire, which take seconds on a machine that has nothing else to do. */
const ALL_MS = 240_000;

type Backends = ReadonlyMap<Kind, Backend & { readonly wire: Wire }>;

/** The tests of a wire, one a parameter; its cells are asked beforehand, many at once. */
export function holdWire(wire: Wire): void {
  const backends = new Map<Kind, Backend & { readonly wire: Wire }>();
  const ofWire = CELLS.filter((cell) => cell.wire === wire);
  // An odd step that divides no row of a parameter: each kind and form is met.
  const cells = sampleOf(ofWire, 7);
  const asked = PARAMETERS.filter((parameter) => cells.some((cell) => cell.parameter === parameter));
  const outcomes = new Map<Cell, string>();
  let gateway: RunningGateway | undefined;

  beforeAll(async () => {
    for (const kind of KINDS) backends.set(kind, { wire, ...(await startBackend(wire, kind, refusalOf)) });
    const started = await startGateway({ config: config(backends) });
    gateway = started;
    const permits = new Semaphore({ permits: AT_ONCE, maxWaiting: cells.length, waitMs: ALL_MS, keys: "AT_ONCE" });
    const { signal } = new AbortController();
    const ask = async (cell: Cell) => {
      const release = await permits.acquire(signal);
      outcomes.set(cell, await outcomeOf(cell, backends, started.client()).finally(release));
    };
    await Promise.all(cells.map(ask));
  }, ALL_MS);
  afterAll(async () => {
    await gateway?.close();
    for (const backend of backends.values()) await backend.close();
    process.stderr.write(`contract, ${wire}: ${outcomes.size} cells: ${byOutcome([...outcomes.values()])}\n`);
  });

  describe.each(asked.map((parameter) => [parameter.name, parameter] as const))("%s", (_name, parameter) => {
    it("has the stated outcome on every kind of backend, streamed and not", () => {
      const row = cells.filter((cell) => cell.parameter === parameter);
      const places = (of: (cell: Cell) => unknown) =>
        Object.fromEntries(row.map((cell) => [`${wire} ${cell.kind} ${cell.form}`, of(cell)]));
      expect(places((cell) => outcomes.get(cell))).toEqual(places(({ stated }) => stated));
    });
  });
}

function byOutcome(outcomes: readonly string[]): string {
  const groups = Object.entries(Object.groupBy(outcomes, (outcome) => outcome));
  return groups
    .map(([outcome, cells = []]) => `${cells.length} ${outcome}`)
    .sort()
    .join(", ");
}

/** An upstream a kind; each cell has a model of its own, so that what one is taught no other knows. */
function config(backends: Backends) {
  const { upstreams, ...rest } = configFor("");
  const [like] = upstreams;
  if (like?.type !== "server") throw new TypeError("A test's upstream speaks to a server.");
  return {
    ...rest,
    upstreams: [...backends].map(([kind, { wire, baseUrl, apiKey, apiVersion }]) => ({
      ...{ ...like, id: `${wire}-${kind}`, wire, baseUrl, apiKey, apiVersion },
      models: [`${NAMES[wire]}-${kind}-*`],
    })),
    operatorModels: [
      { match: ["*-text-*"], tools: "text" as const, why: "a server that knows no tools" },
      { match: ["*-leaky-*"], formats: ["hermes-json"], why: "a model whose calls its server does not read" },
    ],
  };
}

/** How the names of a wire's models begin. */
const NAMES: Readonly<Record<Wire, string>> = {
  openai: "model",
  azure: "deployed",
  anthropic: "claude-sonnet-4-5",
  gemini: "gemini-2.5-flash",
};

function modelOf({ wire, kind, form, parameter }: Cell): string {
  return `${NAMES[wire]}-${kind}-${form}-${PARAMETERS.indexOf(parameter)}`;
}

function refusalOf(model: string, body: string, strange: (field: string) => string): string | undefined {
  const refusal = model.includes("-refusing-") ? PARAMETERS[Number(model.split("-").at(-1))]?.refusal : undefined;
  const [found, field] = refusal?.sees.exec(body) ?? [];
  return found === undefined ? undefined : (refusal?.words ?? strange(String(field)));
}

async function outcomeOf(cell: Cell, backends: Backends, client: OpenAI): Promise<string> {
  const outcome = await askOnce(cell, backends, client);
  if (!outcome.startsWith(LOST)) return outcome;
  // What is found out at the end of a stream serves the next request.
  return cell.stated === "learnt" && (await askOnce(cell, backends, client)) === "mended" ? "learnt" : outcome;
}

const LOST = "lost: ";
/** How oracles say that all is right but for what was asked beside. */
const NOT_THERE = / did not (go up|come)$/;

async function askOnce(cell: Cell, backends: Backends, client: OpenAI): Promise<string> {
  const { parameter, kind, form } = cell;
  const model = modelOf(cell);
  const reply = await askGateway(client, { ...parameter.ask, model }, form);
  if ("code" in reply) return reply.code;
  const fault = parameter.fault(reply, answered(backends.get(kind)?.bodies(model) ?? []));
  const { formats, repairs, issues, attempts, mended, usage_estimated } = reply.postel;
  // That messages went up otherwise may be said for another reason; where one of their fields is to be left out it must be.
  const isSaid = mended.some((field) => field in parameter.ask && (field !== "messages" || cell.stated === "left out"));
  if (fault !== undefined) return isSaid && NOT_THERE.test(fault) ? "left out" : `${LOST}${fault}`;
  const isPlain =
    attempts === reply.choices.length && [formats, repairs, issues, mended].every(({ length }) => length === 0);
  return isPlain && !usage_estimated ? "kept" : "mended";
}

/** The last body with the caller's words: what the gateway asks of its own accord, behind an answer, has none. */
function answered(bodies: readonly string[]): string {
  return bodies.findLast((body) => Object.values(QUESTIONS).some((question) => body.includes(question))) ?? "";
}
