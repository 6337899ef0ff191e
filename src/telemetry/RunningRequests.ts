// Collects the facts of active requests from their observations.

import { setBounded } from "../core/async/setBounded.ts";
import type { Observation } from "../core/ports.ts";
import { RequestSummary } from "./RequestSummary.ts";

/** Maximum number of active requests with stored facts. The oldest ones lose theirs. */
const MOST = 1_000;
/** Maximum characters of a further answer's number, with its dash. The end of a caller's own id is longer. */
const LONGEST_NUMBER = 5;

export class RunningRequests {
  readonly #running = new Map<string, RequestSummary>();

  /** Adds the observation to its request. Returns true if the line of the request will contain all of it. */
  handle(observation: Observation): boolean {
    if (observation.type === "exchange") return this.#getSummary(observation.run).exchange(observation);
    this.#store(observation);
    return false;
  }

  #store(observation: Exclude<Observation, { type: "exchange" }>): void {
    switch (observation.type) {
      case "request-received": {
        const { model } = observation.request.body;
        if (typeof model === "string") this.#getSummary(observation.run).asked = model;
        return;
      }
      case "run-event": {
        const { run, event } = observation;
        // Text deltas are the most frequent events, and nothing of them is stored.
        if (event.type !== "text-delta" && event.type !== "reasoning-delta") this.#getSummary(run).add(event);
        return;
      }
      case "retry":
        this.#getSummary(observation.run).retries += 1;
        return;
      case "parsed":
        this.#getSummary(observation.run).parseMs += observation.ms;
        return;
      case "failure":
        this.#getSummary(observation.run).failure = observation.failure;
        return;
      case "request":
      case "tool-call":
      case "evidence":
      case "recording-failed":
      case "tool-server":
      case "shown-tools":
      case "store-in-memory":
      case "audit-head":
        return;
      default:
        observation satisfies never;
    }
  }

  /**
   * Returns and removes the facts of a finished request; undefined if there are none. A request that resumed a run gets the facts of that
   * run, with its own request fields.
   */
  addRun({
    run,
    resumed,
  }: {
    readonly run: string;
    readonly resumed?: string | undefined;
  }): RequestSummary | undefined {
    const summary = this.#removeSummary(run);
    const further = resumed === undefined ? undefined : this.#removeSummary(resumed);
    if (!further) return summary;
    further.asked ??= summary?.asked;
    further.failure ??= summary?.failure;
    return further;
  }

  #removeSummary(run: string): RequestSummary | undefined {
    const facts = this.#running.get(run);
    this.#running.delete(run);
    for (let choice = 2; facts && choice <= facts.choices; choice += 1) this.#running.delete(`${run}-${choice}`);
    return facts;
  }

  #getSummary(run: string): RequestSummary {
    const known = this.#running.get(run);
    if (known) return known;
    const facts = new RequestSummary();
    setBounded(this.#running, { key: run, value: facts, maxSize: MOST });
    this.#count(run);
    return facts;
  }

  /** Further answers of a request are observed under its id with a number, and end with it. */
  #count(run: string): void {
    const dash = run.lastIndexOf("-");
    if (dash === -1 || run.length - dash > LONGEST_NUMBER) return;
    const choice = Number(run.slice(dash + 1));
    const request = this.#running.get(run.slice(0, dash));
    if (request && choice > request.choices) request.choices = choice;
  }
}
