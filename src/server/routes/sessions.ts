// GET, POST and DELETE /v1/agent/sessions…: the conversations of an owner. Knows no turn.
import type { RequestHandler } from "express";
import { z } from "zod";
import type { AppServices } from "../AppServices.ts";
import { checkShape } from "../checkShape.ts";
import { exchangeOf } from "../Exchange.ts";
import { pageOf, refuseOtherQuery, sessionIdOf } from "../pathIds.ts";
import { ownerOf } from "../rights.ts";
import { sessionMode } from "../runFields.ts";
import { wirePage, wireRun, wireSession, wireStoredMessage } from "../wireRecords.ts";

export function listSessions({ store }: AppServices): RequestHandler {
  return async (request, response) => {
    const page = pageOf(request);
    const sessions = await store.sessions.list(ownerOf(request, response), { ...page, most: page.most + 1 });
    const time = ({ updatedAt }: { readonly updatedAt: number }): number => updatedAt;
    await exchangeOf(response).paced.json(wirePage(sessions, page.most, { wire: wireSession, time }));
  };
}

/** Messages that are shown of one; all are in its export. */
const MOST_MESSAGES = 1_000;

export function showSession({ store, sessions }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: ownerOf(request, response), id: sessionIdOf(request) };
    const session = await sessions.get(key);
    const messages = await store.sessions.messages(key, MOST_MESSAGES);
    await exchangeOf(response).paced.json({ ...wireSession(session), messages: messages.map(wireStoredMessage) });
  };
}

/** Runs that an export names; their events are not part of it. */
const MOST_RUNS = 1_000;

export function exportSession({ store, sessions }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: ownerOf(request, response), id: sessionIdOf(request) };
    const session = await sessions.get(key);
    const messages = await store.sessions.messages(key);
    const runs = await store.runs.list(key.owner, { most: MOST_RUNS, session: key.id });
    response.setHeader("content-disposition", `attachment; filename="session.json"`);
    await exchangeOf(response).paced.json({
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
    const key = { owner: ownerOf(request, response), id: sessionIdOf(request) };
    const { mode } = checkShape(changeShape, request.body);
    await exchangeOf(response).paced.json(wireSession(await sessions.setMode(key, mode, exchangeOf(response).run)));
  };
}

export function deleteSession({ sessions }: AppServices): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const key = { owner: ownerOf(request, response), id: sessionIdOf(request) };
    await sessions.delete(key, exchangeOf(response).run);
    await exchangeOf(response).paced.json({ id: key.id, object: "agent.session", deleted: true });
  };
}
