// Runs over one file of a store, processes that are killed at named points of them, and the service that counts what they did.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InterruptRecord } from "../../../src/core/runs/interrupts.ts";
import type { RunRecord } from "../../../src/core/stores.ts";
import { recordIn } from "../audit/recordIn.ts";
import type { FakeUpstream } from "../FakeUpstream.ts";
import { EffectServer } from "./EffectServer.ts";
import { inTime, until } from "./inTime.ts";
import { Points } from "./Points.ts";
import { RunProcess } from "./RunProcess.ts";
import { startWorkModel } from "./WorkModel.ts";

/** What a tool is to the gateway: it only reads; it does a thing once for each key; once for each call; once a person has agreed. */
export const TOOL_CLASSES = ["read", "keyed", "plain", "gated"] as const;
/** A `task` is as `plain`, and goes on beside the run's turns. */
export type ToolClass = (typeof TOOL_CLASSES)[number] | "task";

/** Where the process is killed, in the order of a run's life; what a server sees is held there until it is. */
export const BOUNDARIES = [
  "before the record",
  "after the record",
  "first turn asked",
  "first turn half told",
  "first turn told",
  "tool called",
  "tool done",
  "side tool called",
  "side tool done",
  "second turn asked",
  "second turn half told",
  "second turn told",
  "ended",
] as const;
/** Those of a run that waits for a person. */
export const WAITING_BOUNDARIES = [
  "interrupt written",
  "waiting",
  "decided",
  "decided, tool called",
  "decided, tool done",
] as const;
export type Boundary = (typeof BOUNDARIES)[number] | (typeof WAITING_BOUNDARIES)[number];

export interface Life {
  /** Undefined where it was never acknowledged, and is not there. */
  readonly record: RunRecord | undefined;
  /** All that was asked. */
  readonly asked: readonly InterruptRecord[];
  readonly effects: number;
  readonly calls: number;
  readonly acknowledged: boolean;
  /** How many processes were killed: a boundary that the run does not come to any more kills none. */
  readonly kills: number;
  /** What the audit says of it, a sentence an entry. */
  readonly told: readonly string[];
}

export class KillWorld {
  readonly points = new Points();
  readonly effects = new EffectServer(this.points);
  readonly #folder = mkdtempSync(join(tmpdir(), "postel-kill-"));
  #model: FakeUpstream | undefined;
  #process: RunProcess | undefined;
  #runs = 0;

  get configFile(): string {
    return join(this.#folder, "postel.yaml");
  }

  /** @param interruptMs for which a person may decide. */
  async open(interruptMs = 604_800_000): Promise<this> {
    this.#model = await startWorkModel(this.points);
    writeFileSync(this.configFile, configText(this.#model.baseUrl, await this.effects.listen(), interruptMs));
    return this;
  }

  async close(): Promise<void> {
    this.points.release();
    await this.#process?.kill();
    await this.#model?.close();
    this.effects.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * One run with a tool of that class, whose process is killed there; so is each that goes on with it, where it comes to the next of the
   * later boundaries. The last one takes it to its end.
   */
  async live(tool: ToolClass, boundary: Boundary, ...later: readonly Boundary[]): Promise<Life> {
    this.#runs += 1;
    const id = `${tool}-${this.#runs}`;
    const first = this.#process ?? (await RunProcess.start(this.configFile));
    this.#process = undefined;
    const acknowledged = await this.#untilKilled(first, { id, tool, boundary });
    this.points.release();
    let last = await RunProcess.start(this.configFile);
    let kills = 1;
    for (const next of later) {
      const isThere = await this.#comesTo(last, id, next);
      if (!isThere) break;
      await last.kill();
      kills += 1;
      this.points.release();
      last = await RunProcess.start(this.configFile);
    }
    this.points.release();
    this.#process = last;
    const record = await this.#toItsEnd(last, id);
    const asked = record ? await last.interrupts(id) : [];
    const told = recordIn(join(this.#folder, "runs.db"), id);
    const counted = { effects: this.effects.effects(id), calls: this.effects.calls(id) };
    return { record, asked, ...counted, acknowledged, kills, told };
  }

  /** True when a run that goes on comes to that boundary; false once it is over and did not. */
  async #comesTo(process: RunProcess, id: string, boundary: Boundary): Promise<boolean> {
    const watch = { isReached: AT_ONCE.has(boundary) };
    void this.points.arm(boundary.replace("decided, ", "")).then(() => {
      watch.isReached = true;
    });
    let isOver = false;
    await until(async () => {
      if (watch.isReached) return true;
      const status = (await process.record(id))?.status;
      isOver = status === undefined || status === "ended" || status === "stuck";
      watch.isReached ||= status === STATUS_AT[boundary];
      if (status === "waiting" && !watch.isReached) {
        await agree(process, id);
        watch.isReached ||= boundary === "decided";
      }
      return watch.isReached || isOver;
    }, `run ${id} to come to "${boundary}" or to end`);
    return watch.isReached;
  }

  async #untilKilled(
    first: RunProcess,
    { id, tool, boundary }: { id: string; tool: ToolClass; boundary: Boundary },
  ): Promise<boolean> {
    const text = `${tool} ${id}`;
    if (boundary === "before the record") {
      first.shout({ do: "start", id, text });
      await first.kill();
      return false;
    }
    const decides =
      tool === "gated" && !["first", "side", "inter", "wait", "after"].some((before) => boundary.startsWith(before));
    const point = boundary.replace("decided, ", "");
    const reached = decides ? undefined : this.points.arm(point);
    await first.tell({ do: "start", id, text });
    if (decides) await this.#decided(first, id, point);
    else if (boundary === "interrupt written")
      await until(async () => (await first.interrupts(id)).length > 0, `run ${id} to ask a person`);
    else if (boundary === "waiting")
      await until(async () => (await first.record(id))?.status === "waiting", `run ${id} to wait`);
    else if (boundary !== "after the record" && boundary !== "ended" && reached)
      await inTime(`run ${id} to come to "${point}"`, reached);
    if (boundary === "ended") await until(async () => (await first.record(id))?.status === "ended", `run ${id} to end`);
    await first.kill();
    return true;
  }

  /** To a point behind a person's yes. */
  async #decided(process: RunProcess, id: string, point: string): Promise<void> {
    await until(async () => (await process.record(id))?.status === "waiting", `run ${id} to wait`);
    const reached = this.points.arm(point);
    await agree(process, id);
    if (point !== "decided" && point !== "ended") await inTime(`run ${id} to come to "${point}"`, reached);
  }

  async #toItsEnd(process: RunProcess, id: string): Promise<RunRecord | undefined> {
    let record: RunRecord | undefined;
    await until(async () => {
      record = await process.record(id);
      if (record?.status === "waiting") await agree(process, id);
      return record === undefined || record.status === "ended" || record.status === "stuck";
    }, `run ${id} to end`);
    return record;
  }
}

/** Boundaries at which a process that goes on with a run is killed as soon as it has started. */
const AT_ONCE: ReadonlySet<Boundary> = new Set(["before the record", "after the record"]);
/** Boundaries that show in what is said of the run. */
const STATUS_AT: Partial<Record<Boundary, RunRecord["status"]>> = {
  ...{ "interrupt written": "waiting", waiting: "waiting", ended: "ended" },
};

/** Whoever is asked for leave gives it; of what is not known nothing is done again. */
async function agree(process: RunProcess, id: string): Promise<void> {
  for (const { id: asked, status, type, plan } of await process.interrupts(id)) {
    if (status !== "open" || !plan) continue;
    const decision = { type: type === "unknown-outcome" ? "reject" : "approve", plan: plan.hash } as const;
    await process.tell({ do: "decide", id: asked, decision });
  }
}

function configText(model: string, service: string, interruptMs: number): string {
  const path = (kind: string) => ["", kind, "$" + "{input.of}"].join("/");
  const action = (name: string, more: object) => ({
    id: name,
    type: "http-client",
    description: `The ${name} tool.`,
    base_url: service,
    actions: [{ id: "do", ...more }],
  });
  // JSON is YAML.
  return JSON.stringify({
    store: { file: "./runs.db" },
    runs: { lease_ms: 1200 },
    upstreams: [{ id: "models", base_url: model }],
    retries: { attempts: 1 },
    limits: { interrupt_ms: interruptMs },
    components: [
      action("read", { method: "GET", path: path("read") }),
      action("keyed", { method: "POST", path: path("keyed"), idempotent: true }),
      action("plain", { method: "POST", path: path("plain") }),
      action("task", { method: "POST", path: path("plain"), async: true }),
      action("gated", { method: "POST", path: path("plain"), approval: "always" }),
    ],
    agents: [{ id: "worker", model: "m", tools: ["read", "keyed", "plain", "task", "gated", "ask_user"] }],
  });
}
