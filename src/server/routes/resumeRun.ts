// POST /v1/agent/runs/{id}/resume: continues a run whose client has disconnected, as an ordinary answer.
import type { RequestHandler } from "express";
import { z } from "zod";
import type { AppServices } from "../AppServices.ts";
import { createChatAnswer } from "../apis/chatCompletions/chatCompletions.ts";
import { FUNCTIONS } from "../apis/chatCompletions/encodeCalls.ts";
import type { FrontApi } from "../apis/FrontApi.ts";
import { answerEvents } from "../http/answerEvents.ts";
import { getCaller, resolveOwner } from "../http/authorize.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import { checkShape } from "../validation/checkShape.ts";
import { readRunId, refuseOtherQuery } from "../validation/pathParams.ts";

const resumeShape = z.strictObject({
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

/** If an interrupt is still open, the answer contains it again. */
export function resumeRun(services: AppServices, wire: FrontApi): RequestHandler {
  const { runs, sessions, clock } = services;
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const { stream, stream_options } = checkShape(resumeShape, request.body);
    const key = { owner: resolveOwner(request, response), id: readRunId(request) };
    const { sessionId: id, agent } = await runs.record(key);
    const by = getCaller(response);
    const holder = getRequestContext(response).run;
    const usage = stream_options?.include_usage ?? false;
    const answer = createChatAnswer(
      { id: holder, model: agent, now: clock.now() },
      { choices: 1, usage, runEvents: true, raw: false, calls: FUNCTIONS },
    );
    const going = {
      signal: getRequestContext(response).signal,
      onResumed: (run: string) => getRequestContext(response).noteResumed(run),
    };
    if (id !== undefined) getRequestContext(response).session = id;
    const session = id === undefined ? undefined : { owner: key.owner, id };
    await answerEvents(
      response,
      (onEvents) =>
        session
          ? sessions.decide({ session, run: key.id, decisions: [], decidedBy: by, holder }, { ...going, onEvents })
          : runs.resume(key, { ...going, onEvents }),
      { wire, answer, stream: stream ?? false, run: key.id },
    );
  };
}
