// A run whose process dies again and again, at any point: nothing that may be done once only is done twice, and nothing is lost unsaid.
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createAgentTools } from "../../../src/agents/planning/agentAsTool.ts";
import type { AgentConfig } from "../../../src/core/config/configuration.ts";
import type { ModelEvent } from "../../../src/core/events/events.ts";
import { joinText } from "../../../src/core/messages.ts";
import type { ModelClient, ModelRequest } from "../../../src/models/ModelClient.ts";
import { ChainVerifier } from "../../../src/stores/audit/ChainVerifier.ts";
import { LIMITS } from "../../support/agents/gateway.ts";
import { pushed } from "../../support/events.ts";
import { CrashingLife } from "../../support/runs/CrashingLife.ts";
import { calls, says } from "../../support/ScriptedModel.ts";

type Wanted = readonly (readonly [tool: string, n: number])[];

/** What each agent's model calls, turn by turn. Every turn of every model numbers its calls from `call_0`. */
type Script = Readonly<Record<string, readonly Wanted[]>>;

const DEPUTY = 300;

/** A task in words has no number: an agent is called by its name. */
function callOf([name, n]: Wanted[number]) {
  const isAgent = name === "writer" || name === "deputy";
  return { name, arguments: JSON.stringify(isAgent ? { task: `number ${n}` } : { n }) };
}

class ScriptedAgents implements ModelClient {
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  stream(request: ModelRequest, _signal: AbortSignal, take: Parameters<ModelClient["stream"]>[2]): Promise<void> {
    const said = this.#says(request);
    // The script's own count of tokens is too small for a prompt that holds these tools.
    const play = async function* () {
      for (const event of said) yield event.type === "end" ? { ...event, usage: undefined } : event;
    };
    return pushed(play(), take);
  }

  #says({ messages }: ModelRequest): readonly ModelEvent[] {
    const agent = /You are the (\w+)/.exec(joinText(messages[0]?.content ?? ""))?.[1] ?? "";
    const turn = messages.filter(({ toolCalls }) => toolCalls).length;
    const wanted = this.#script[agent]?.[turn];
    return wanted ? calls(...wanted.map(callOf)) : says("Done.");
  }
}

function agent(id: string, tools: readonly string[]): AgentConfig {
  const limits = { ...LIMITS, timeoutMs: 600_000 };
  const named = { id, systemPrompt: `You are the ${id}.`, sampling: {}, limits, actions: [] };
  const base: AgentConfig = { ...named, tools: tools.map((tool) => ({ tool })) };
  return { ...base, actions: [{ ...base, id: "__default__" }] };
}

const OWN = ["pay", "look", "wire", "mail"];
const DEPUTY_AGENT = agent("deputy", OWN);
const WRITER = agent("writer", [...OWN, "deputy"]);
const BOSS = agent("boss", [...OWN, "writer", "deputy"]);

async function live(script: Script, deaths: readonly number[]) {
  const life = new CrashingLife({
    agents: [BOSS, WRITER, DEPUTY_AGENT],
    model: new ScriptedAgents(script),
    tools: (of) => [
      of.doing("pay"),
      of.doing("look", { idempotent: true }),
      of.doing("wire", { approval: { type: "always" } }),
      of.doing("mail", { async: true, timeoutMs: 5_000 }),
      ...createAgentTools(WRITER, (text) => text),
      ...createAgentTools(DEPUTY_AGENT, (text) => text),
    ],
    deaths,
  });
  const check = new ChainVerifier();
  for (const entry of await life.live()) check.addEntry(entry);
  expect(check.report().faults).toEqual([]);
  return life;
}

/** What the script wants done, each once. */
function wantedOf(script: Script): readonly string[] {
  const all = Object.values(script).flat(2);
  return all.filter(([name]) => OWN.includes(name)).map(([name, n]) => `${name} ${n}`);
}

async function holds(script: Script, deaths: readonly number[]): Promise<void> {
  const { effects, unknown, outcome, failure } = await live(script, deaths);
  expect({ outcome, failure }).toEqual({ outcome: "answered", failure: undefined });
  for (const what of wantedOf(script)) {
    const [name = ""] = what.split(" ");
    const done = effects.get(what) ?? 0;
    if (name !== "look") expect([what, done <= 1]).toEqual([what, true]);
    const isTold = unknown.has(what) || (name === "mail" && unknown.has(name));
    if (!isTold) expect([what, done > 0]).toEqual([what, true]);
  }
}

it("asks about every call whose outcome is not known, however many they are", async () => {
  const numbers = Array.from({ length: 40 }, (_, n) => n + 1);
  const script: Script = { boss: [numbers.map((n) => ["pay", n] as const), [["look", 1]]] };
  // The fortieth call has begun with the others, and the process dies before any has its result.
  const life = await live(script, [8]);
  expect(life.outcome).toBe("answered");
  for (const n of numbers) expect([n, life.unknown.has(`pay ${n}`)]).toEqual([n, true]);
});

const SCRIPTS: readonly (readonly [string, Script])[] = [
  [
    "parallel calls in turns that number them alike",
    {
      boss: [
        [
          ["pay", 1],
          ["look", 1],
          ["pay", 2],
        ],
        [
          ["look", 2],
          ["pay", 3],
        ],
      ],
    },
  ],
  [
    "calls that a person approves",
    {
      boss: [
        [
          ["wire", 1],
          ["look", 1],
          ["pay", 1],
          ["wire", 2],
        ],
        [
          ["wire", 3],
          ["look", 2],
        ],
      ],
    },
  ],
  [
    "tasks that go on beside the turns",
    {
      boss: [
        [
          ["mail", 1],
          ["look", 1],
          ["pay", 1],
        ],
        [
          ["look", 2],
          ["mail", 2],
        ],
      ],
    },
  ],
  [
    "agents within agents, side by side",
    {
      boss: [
        [
          ["writer", 1],
          ["deputy", 1],
          ["pay", 1],
          ["look", 1],
        ],
      ],
      writer: [
        [
          ["pay", 101],
          ["look", 101],
          ["deputy", 2],
          ["wire", 101],
        ],
        [
          ["look", 102],
          ["pay", 102],
        ],
      ],
      deputy: [
        [
          ["look", DEPUTY],
          ["look", DEPUTY + 1],
        ],
      ],
    },
  ],
  [
    "an agent within whose tasks go on",
    {
      boss: [
        [
          ["writer", 1],
          ["look", 1],
        ],
      ],
      writer: [
        [
          ["mail", 101],
          ["pay", 101],
        ],
        [
          ["look", 102],
          ["pay", 102],
        ],
      ],
    },
  ],
  [
    "an agent within an agent that pays",
    {
      boss: [
        [
          ["writer", 1],
          ["pay", 1],
        ],
      ],
      writer: [
        [
          ["deputy", 1],
          ["look", 101],
          ["pay", 101],
        ],
      ],
      deputy: [
        [
          ["pay", DEPUTY],
          ["look", DEPUTY],
          ["wire", DEPUTY],
        ],
        [["pay", DEPUTY + 1]],
      ],
    },
  ],
];

describe.each(SCRIPTS)("a run that crashes over and over: %s", (_, script) => {
  it("does all, each once, where nothing crashes", () => holds(script, []));

  it("does nothing twice and loses nothing unsaid, with up to five deaths at any points", async () => {
    const deaths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(deaths, (points) => holds(script, points)),
      { numRuns: 40 },
    );
  });
});
