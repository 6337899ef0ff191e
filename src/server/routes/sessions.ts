// GET, POST and DELETE /v1/agent/sessions…: the sessions of an owner.
import type { RequestHandler } from "express";
import { z } from "zod";
import type { AppServices } from "../AppServices.ts";
import { resolveOwner } from "../http/authorize.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import { wirePage, wireRun, wireSession, wireStoredMessage } from "../messages/recordJson.ts";
import { checkShape } from "../validation/checkShape.ts";
import { readPageRequest, readSessionId, refuseOtherQuery } from "../validation/pathParams.ts";
import { sessionMode } from "../validation/runFields.ts";

export function createListSessionsRoute({ store }: AppServices): RequestHandler {
  return async (request, response) => {
    const page = readPageRequest(request);
    const sessions = await store.sessions.list(resolveOwner(request, response), { ...page, limit: page.maxPage + 1 });
    const time = ({ updatedAt }: { readonly updatedAt: number }): number => updatedAt;
    await getRequestContext(response).paced.json(wirePage(sessions, page.maxPage, { wire: wireSession, time }));
  };
}

/** Messages that are shown of one; all are in its export. */
const MOST_MESSAGES = 1_000;

export function createShowSessionRoute({ store, sessions }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readSessionId(request) };
    const session = await sessions.get(key);
    const messages = await store.sessions.messages(key, MOST_MESSAGES);
    await getRequestContext(response).paced.json({
      ...wireSession(session),
      messages: messages.map(wireStoredMessage),
    });
  };
}

/** Runs that an export names; their events are not part of it. */
const MOST_RUNS = 1_000;

export function exportSession({ store, sessions }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readSessionId(request) };
    const session = await sessions.get(key);
    const messages = await store.sessions.messages(key);
    const runs = await store.runs.list(key.owner, { limit: MOST_RUNS, session: key.id });
    response.setHeader("content-disposition", `attachment; filename="session.json"`);
    await getRequestContext(response).paced.json({
      ...wireSession(session),
      messages: messages.map(wireStoredMessage),
      runs: runs.map((run) => wireRun(run)),
    });
  };
}

const changeShape = z.strictObject({ mode: sessionMode });

export function changeSession({ sessions }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readSessionId(request) };
    const { mode } = checkShape(changeShape, request.body);
    await getRequestContext(response).paced.json(
      wireSession(await sessions.setMode(key, mode, getRequestContext(response).run)),
    );
  };
}

export function createDeleteSessionRoute({ sessions }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: resolveOwner(request, response), id: readSessionId(request) };
    await sessions.delete(key, getRequestContext(response).run);
    await getRequestContext(response).paced.json({ id: key.id, object: "agent.session", deleted: true });
  };
}
