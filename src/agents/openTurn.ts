// A turn that waits for what comes of its calls: how it begins, and the end that its reader is told. Pure.
import type { TurnEnd } from "../core/events.ts";
import type { OpenTurn } from "../core/run.ts";
import { uncountedEnd } from "./uncountedEnd.ts";

/** A turn whose calls nobody has looked at. */
export function newTurn(
  turn: Pick<OpenTurn, "execute" | "handsOver" | "end" | "tokens"> & Partial<Pick<OpenTurn, "clientCalls" | "money">>,
): OpenTurn {
  return { settled: [], waiting: [], clientCalls: [], ...turn };
}

/** The turn's end; of one whose reader was told it already, nothing but that it is over. */
export function endOf({ end }: OpenTurn): TurnEnd {
  return end ?? uncountedEnd("stop");
}
