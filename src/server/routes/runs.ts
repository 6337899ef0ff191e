// GET and POST /v1/agent/runs…: state, events, cancellation and resumption of runs.
import type { RequestHandler } from "express";
import { z } from "zod";
import type { RunEvent } from "../../core/events/events.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { RunRecord } from "../../core/stores/RunStore.ts";
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
    const listed = await runs.list(owner, { ...page, limit: page.maxPage + 1, session });
    const wire = (run: RunRecord): JsonObject => wireRun(run);
    await getRequestContext(response).paced.json(
      wirePage(listed, page.maxPage, { wire, time: ({ createdAt }) => createdAt }),
    );
  };
}

/** Shows the record, the open interrupts, and the answer so far in the form of its original response. */
export function createShowRunRoute(services: AppServices): RequestHandler {
  const { store } = services;
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readRunId(request) };
    const run = await services.runs.record(key);
    const signal = await collectRun(store.runs, key);
    const frame = { id: `chatcmpl-${key.id}`, model: signal.model ?? "", created: Math.floor(run.createdAt / 1_000) };
    const answer = signal.end && buildCompletion(frame, [signal], { raw: false, calls: FUNCTIONS });
    const entryToShow = wireRun(run, await services.runs.open(key));
    const given = signal.response === undefined ? {} : { response: signal.response };
    await getRequestContext(response).paced.json({
      ...entryToShow,
      ...given,
      answer: answer ?? null,
      usage: answer?.usage ?? null,
    });
  };
}

/** Characters of an event's id. */
const EVENT_ID = /^\d{1,15}$/;
/** A watcher needs to see at once that the stream is open. Milliseconds. */
const WATCHER_TIMINGS = { openAfterMs: 100, heartbeatMs: 15_000 };

/**
 * Sends stored events and then new ones, numbered. A client that reconnects sends the last event id it has seen. The stream
 * ends when the gateway stops.
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
      // 204 makes a browser's EventSource stop; after any other status it would reconnect forever.
      response.status(204).end();
      return;
    }
    const sse = new SseStream(getRequestContext(response).paced, () => undefined, WATCHER_TIMINGS);
    try {
      const signal = AbortSignal.any([getRequestContext(response).signal, services.stopSignal]);
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

/** The event that reports a gap: events that the client has not seen and that are no longer stored. */
function goneBetween(seen: number, next = seen + 1): string {
  if (next <= seen + 1) return "";
  const gone = { type: "events-gone", from: seen + 1, to: next - 1 };
  return `id: ${gone.to}\ndata: ${JSON.stringify(gone)}\n\n`;
}

/** JSON text contains no line break, so no value can forge a field or an event. */
function numbered(seq: number, event: RunEvent): string {
  return `id: ${seq}\ndata: ${JSON.stringify(toRunEventJson(event))}\n\n`;
}
