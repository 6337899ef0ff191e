// GET and POST /v1/agent/runs…: what became of a run, its events, its end, its going on. Knows no agent logic and no store.
import type { RequestHandler } from "express";
import { z } from "zod";
import type { RunEvent } from "../../core/events/events.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { RunRecord } from "../../core/stores.ts";
import { isOver } from "../../runs/RunEventStream.ts";
import { collectRun } from "../../sessions/foldRun.ts";
import type { AppServices } from "../AppServices.ts";
import { buildCompletion } from "../apis/chatCompletions/completion.ts";
import { FUNCTIONS } from "../apis/chatCompletions/encodeCalls.ts";
import { toRunEventJson } from "../apis/chatCompletions/runEventJson.ts";
import { resolveOwner } from "../http/authorize.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import { SseStream } from "../http/SseStream.ts";
import { wirePage, wireRun } from "../messages/recordJson.ts";
import { checkShape } from "../validation/checkShape.ts";
import { readPageRequest, readRunId, readSessionQuery, refuseOtherQuery } from "../validation/pathParams.ts";

export function createListRunsRoute({ runs }: AppServices): RequestHandler {
  return async (request, response) => {
    const page = readPageRequest(request, ["session"]);
    const owner = resolveOwner(request, response);
    const session = readSessionQuery(request);
    const listed = await runs.list(owner, { ...page, most: page.most + 1, session });
    const wire = (run: RunRecord): JsonObject => wireRun(run);
    await getRequestContext(response).paced.json(
      wirePage(listed, page.most, { wire, time: ({ createdAt }) => createdAt }),
    );
  };
}

/** The record, what is open, and the answer so far in the form in which its caller was sent it. */
export function createShowRunRoute(services: AppServices): RequestHandler {
  const { store } = services;
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readRunId(request) };
    const run = await services.runs.record(key);
    const said = await collectRun(store.runs, key);
    const frame = { id: `chatcmpl-${key.id}`, model: said.model ?? "", created: Math.floor(run.createdAt / 1_000) };
    const answer = said.end && buildCompletion(frame, [said], { raw: false, calls: FUNCTIONS });
    const shown = wireRun(run, await services.runs.open(key));
    const given = said.response === undefined ? {} : { response: said.response };
    await getRequestContext(response).paced.json({
      ...shown,
      ...given,
      answer: answer ?? null,
      usage: answer?.usage ?? null,
    });
  };
}

/** Characters of an event's id. */
const EVENT_ID = /^\d{1,15}$/;
/** Whoever watches wants to know at once that it does. Milliseconds. */
const WATCHER_TIMINGS = { openAfterMs: 100, heartbeatMs: 15_000 };

/**
 * Stored events and then those that come, numbered; a watcher that lost its connection says the last that it has seen, and so does one
 * whose gateway stops: nothing waits for it.
 */
export function watchRun(services: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readRunId(request) };
    const seen = request.get("last-event-id") ?? "0";
    if (!EVENT_ID.test(seen)) {
      const message = "The header `last-event-id` is refused: it must be the `id` of an event of this run.";
      throw new PostelError(createFailure("invalid_request", message, { param: "last-event-id" }));
    }
    const run = await services.runs.record(key);
    if (isOver(run) && Number(seen) >= run.events) {
      // What a browser's EventSource takes as the end: anything else it would ask for again and again.
      response.status(204).end();
      return;
    }
    const sse = new SseStream(getRequestContext(response).paced, () => undefined, WATCHER_TIMINGS);
    try {
      const signal = AbortSignal.any([getRequestContext(response).signal, services.stopping]);
      let last = Number(seen);
      await services.runs.events(key, last, signal, (events) => {
        const text = goneBetween(last, events[0]?.seq) + events.map(({ seq, event }) => numbered(seq, event)).join("");
        last = events.at(-1)?.seq ?? last;
        return sse.send(text)?.then(() => undefined);
      });
      await sse.end("");
    } finally {
      sse.abandon();
    }
  };
}

export function createCancelRunRoute(services: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readRunId(request) };
    const run = await services.runs.cancel(key);
    await getRequestContext(response).paced.json(wireRun(run, await services.runs.open(key)));
  };
}

const feedbackShape = z.strictObject({
  rating: z.union([z.literal(-1), z.literal(1)], { error: "must be -1 or 1" }),
  comment: z.string().max(10_000).nullish(),
});

export function createRateRunRoute(services: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readRunId(request) };
    const { rating, comment } = checkShape(feedbackShape, request.body);
    await services.runs.feedback(key, { rating, ...(comment && { comment }) });
    await getRequestContext(response).paced.json(
      wireRun(await services.runs.record(key), await services.runs.open(key)),
    );
  };
}

/** What a watcher is told of events that it has not seen and that are no longer kept. */
function goneBetween(seen: number, next = seen + 1): string {
  if (next <= seen + 1) return "";
  const gone = { type: "events-gone", from: seen + 1, to: next - 1 };
  return `id: ${gone.to}\ndata: ${JSON.stringify(gone)}\n\n`;
}

/** JSON text holds no line end, so no value can forge a field or an event. */
function numbered(seq: number, event: RunEvent): string {
  return `id: ${seq}\ndata: ${JSON.stringify(toRunEventJson(event))}\n\n`;
}
