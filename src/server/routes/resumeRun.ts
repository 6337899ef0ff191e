// POST /v1/agent/runs/{id}/resume: goes on with a run whose caller has gone, as an ordinary answer. Knows no agent logic.
import type { RequestHandler } from "express";
import { z } from "zod";
import type { AppServices } from "../AppServices.ts";
import { answerEvents } from "../answerEvents.ts";
import { checkShape } from "../checkShape.ts";
import { exchangeOf } from "../Exchange.ts";
import { refuseOtherQuery, runIdOf } from "../pathIds.ts";
import { admitted, ownerOf } from "../rights.ts";
import { FUNCTIONS } from "../wires/chatCompletions/callSpelling.ts";
import { chatAnswer } from "../wires/chatCompletions/chatCompletions.ts";
import type { Wire } from "../wires/Wire.ts";

const resumeShape = z.strictObject({
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

/** Where something is still open, the answer asks for it again. */
export function resumeRun(services: AppServices, wire: Wire): RequestHandler {
  const { runs, sessions, clock } = services;
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const { stream, stream_options } = checkShape(resumeShape, request.body);
    const key = { owner: ownerOf(request, response), id: runIdOf(request) };
    const { sessionId: id, agent } = await runs.record(key);
    const by = admitted(response);
    const holder = exchangeOf(response).run;
    const usage = stream_options?.include_usage ?? false;
    const answer = chatAnswer(
      { id: holder, model: agent, now: clock.now() },
      { choices: 1, usage, runEvents: true, raw: false, calls: FUNCTIONS },
    );
    const going = {
      signal: exchangeOf(response).signal,
      onResumed: (run: string) => exchangeOf(response).noteResumed(run),
    };
    if (id !== undefined) exchangeOf(response).session = id;
    const session = id === undefined ? undefined : { owner: key.owner, id };
    await answerEvents(
      response,
      (take) =>
        session
          ? sessions.decide({ session, run: key.id, given: [], by, holder }, { ...going, take })
          : runs.resume(key, { ...going, take }),
      { wire, answer, stream: stream ?? false, run: key.id },
    );
  };
}
