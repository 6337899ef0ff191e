// GET /v1/agent/interrupts and POST /v1/agent/runs/{id}/interrupts/{interrupt}: open interrupts, and the decisions of
// approvers.
import type { RequestHandler } from "express";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { AppServices } from "../AppServices.ts";
import { readDecision } from "../decisions/parseDecision.ts";
import { getCaller, resolveOwner } from "../http/authorize.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import { toInterruptJson } from "../messages/interruptJson.ts";
import { wireRun } from "../messages/recordJson.ts";
import { readInterruptId, readRunId, refuseOtherQuery } from "../validation/pathParams.ts";

/** Maximum number, the oldest first: once they are decided, the next ones are shown. */
const MOST_SHOWN = 100;

export function listInterrupts({ store }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const open = await store.interrupts.open(resolveOwner(request, response), MOST_SHOWN);
    const data = open.map((one) => ({ ...toInterruptJson(one), run_id: one.run, tool_call: one.call.name }));
    await getRequestContext(response).paced.json({ object: "list", data });
  };
}

export function decideInterrupt(services: AppServices): RequestHandler {
  const { runs } = services;
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const owner = resolveOwner(request, response);
    const key = { owner, id: readRunId(request) };
    const id = readInterruptId(request);
    const decision = readDecision(request.body);
    const known = await runs.interrupt({ owner, id });
    // The interrupt is known, but it belongs to another run.
    if (known && known.run !== key.id) {
      throw new PostelError(createFailure("interrupt_not_found", `The run \`${key.id}\` has no interrupt \`${id}\`.`));
    }
    await runs.decide(owner, id, decision, getCaller(response));
    const open = await runs.open(key);
    await getRequestContext(response).paced.json({
      run: wireRun(await runs.record(key), open),
      open: open.map(toInterruptJson),
    });
  };
}
