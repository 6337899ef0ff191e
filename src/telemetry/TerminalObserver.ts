// Prints one line for each finished request. Never shows prompts, answers, arguments or results.
import { styleText } from "node:util";
import type { Observation, Observer, Redact } from "../core/ports.ts";
import { LOCAL_CALLER } from "../core/requests.ts";
import { escapeControls } from "./escapeControls.ts";
import { MEMORY_STORE_NOTICE } from "./memoryStoreNotice.ts";
import { RunningRequests } from "./RunningRequests.ts";

export interface TerminalObserverOptions {
  readonly output: NodeJS.WritableStream;
  readonly redact: Redact;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Characters of a part of a line. */
const LONGEST = 2_000;

export class TerminalObserver implements Observer {
  readonly #options: TerminalObserverOptions;
  readonly #running = new RunningRequests();

  constructor(options: TerminalObserverOptions) {
    this.#options = options;
  }

  observe(observation: Observation): void {
    this.#running.handle(observation);
    switch (observation.type) {
      case "evidence": {
        const { key, evidence } = observation;
        this.#write("note", "yellow", [`${key} is asked without ${evidence.refused} from now on: ${evidence.reason}`]);
        return;
      }
      case "recording-failed": {
        const { lost, reason } = observation;
        this.#write("not recorded", "red", [`${lost} ${lost === 1 ? "exchange" : "exchanges"}: ${reason}`]);
        return;
      }
      case "tool-server": {
        const { server, state, detail } = observation;
        this.#write(server, state === "up" ? "green" : "yellow", [`${state}: ${detail}`]);
        return;
      }
      case "store-in-memory":
        this.#write("note", "yellow", [MEMORY_STORE_NOTICE]);
        return;
      case "request":
        this.#request(observation);
        return;
      case "request-received":
      case "shown-tools":
      case "run-event":
      case "exchange":
      case "tool-call":
      case "retry":
      case "parsed":
      case "failure":
      case "audit-head":
        return;
      default:
        observation satisfies never;
    }
  }

  #request(observation: Extract<Observation, { type: "request" }>): void {
    const { method, path, status, ms, aborted, caller } = observation;
    const facts = this.#running.addRun(observation);
    const { firstByteMs } = facts ?? {};
    const time = firstByteMs === undefined ? spell(ms) : `${spell(ms)} (first byte ${spell(firstByteMs)})`;
    const from = caller === undefined || caller === LOCAL_CALLER.name ? [] : [`from ${caller}`];
    const fields = [
      `${method} ${path}`,
      ...from,
      time,
      ...(facts?.listFields() ?? []),
      ...(aborted ? ["the client left"] : []),
    ];
    this.#write(String(status), status < 400 ? "green" : status < 500 ? "yellow" : "red", fields);
  }

  #write(head: string, colour: "green" | "yellow" | "red", fields: readonly string[]): void {
    const { output, redact, now } = this.#options;
    const time = new Date(now()).toTimeString().slice(0, 8);
    const line = `${styleText("dim", time, { stream: output })} ${styleText(colour, head, { stream: output })} ${fields.map(formatField).join(" · ")}`;
    output.write(`${redact(line)}\n`);
  }
}

/** On one line, and nothing that steers the terminal. */
function formatField(field: string): string {
  const short = field.length > LONGEST ? `${field.slice(0, LONGEST)}…` : field;
  return escapeControls(short.replaceAll(/\s+/g, " "));
}

function spell(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
