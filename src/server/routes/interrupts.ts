// GET /v1/agent/interrupts and POST /v1/agent/runs/{id}/interrupts/{interrupt}: what waits for a person, and the person's word. Decides nothing itself.
import type { RequestHandler } from "express";
import { failure, PostelError } from "../../core/failures.ts";
import type { AppServices } from "../AppServices.ts";
import { exchangeOf } from "../Exchange.ts";
import { readDecision } from "../givenDecisions.ts";
import { interruptIdOf, refuseOtherQuery, runIdOf } from "../pathIds.ts";
import { admitted, ownerOf } from "../rights.ts";
import { wireInterrupt } from "../wireInterrupt.ts";
import { wireRun } from "../wireRecords.ts";

/** At most, the oldest first: who decides them sees the next. */
const MOST_SHOWN = 100;

export function listInterrupts({ store }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const open = await store.interrupts.open(ownerOf(request, response), MOST_SHOWN);
    const data = open.map((one) => ({ ...wireInterrupt(one), run_id: one.run, tool_call: one.call.name }));
    await exchangeOf(response).paced.json({ object: "list", data });
  };
}

export function decideInterrupt(services: AppServices): RequestHandler {
  const { runs } = services;
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const owner = ownerOf(request, response);
    const key = { owner, id: runIdOf(request) };
    const id = interruptIdOf(request);
    const decision = readDecision(request.body);
    const known = await runs.interrupt({ owner, id });
    // Of one that nobody has it is known who asked for it.
    if (known && known.run !== key.id) {
      throw new PostelError(failure("interrupt_not_found", `The run \`${key.id}\` has no interrupt \`${id}\`.`));
    }
    await runs.decide(owner, id, decision, admitted(response));
    const open = await runs.open(key);
    await exchangeOf(response).paced.json({
      run: wireRun(await runs.record(key), open),
      open: open.map(wireInterrupt),
    });
  };
}
