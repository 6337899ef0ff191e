// Runs one rung of the ladder: a proxy for plain chat completions that does what its rung and all rungs below it name.
// The rungs contain no code of Postel, so their cost is that of Node and of the libraries. They do not handle errors.
// Usage: rungs.ts PORT UPSTREAM_ORIGIN RUNG
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import express from "express";
import OpenAI from "openai";
import { pino } from "pino";
import { Pool } from "undici";
import { readBody } from "./readBody.ts";
import { RUNGS } from "./rungNames.ts";

const [port, origin = "", rung = ""] = process.argv.slice(2);
const rungIndex = RUNGS.indexOf(rung);
const [parsesJson, usesSdkHeaders, usesExpress, logsRequests, usesTimers] = RUNGS.slice(1).map(
  (_, index) => rungIndex > index,
);

const PATH = "/v1/chat/completions";
/** Timeouts of the whole answer and of the upstream's response. Neither expires during the benchmark. Milliseconds. */
const ANSWER_TIMEOUT_MS = 300_000;
const RESPONSE_TIMEOUT_MS = 60_000;

const upstream = new Pool(origin, { connections: null, keepAliveTimeout: 60_000, bodyTimeout: 0, headersTimeout: 0 });
const headers = usesSdkHeaders
  ? await buildSdkHeaders()
  : { "content-type": "application/json", authorization: "Bearer key" };
const log = pino(pino.destination({ fd: 1, sync: true }));

/** Builds the headers of the OpenAI SDK. As in Postel, all requests share them. */
async function buildSdkHeaders(): Promise<Record<string, string>> {
  const sdk = new OpenAI({ apiKey: "key", baseURL: `${origin}/v1` });
  const { req } = await sdk.buildRequest({ method: "post", path: "/chat/completions", body: {} });
  return Object.fromEntries(req.headers);
}

async function proxyRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedAt = performance.now();
  const abort = usesTimers ? abortOnDisconnect(response) : undefined;
  const onTimeout = () => abort?.abort(new Error("The upstream did not answer in time."));
  const answerTimer = usesTimers ? setTimeout(onTimeout, ANSWER_TIMEOUT_MS) : undefined;
  const requestBody = await readBody(request);
  const { model, ...rest } = parsesJson ? JSON.parse(requestBody.toString()) : {};
  const body = parsesJson ? JSON.stringify({ model, ...rest, stream: false }) : requestBody;
  const responseTimer = usesTimers ? setTimeout(onTimeout, RESPONSE_TIMEOUT_MS) : undefined;
  const signal = abort?.signal ?? null;
  const answer = await upstream.request({ path: PATH, method: "POST", headers, body, signal });
  const answerBody = await readBody(answer.body);
  clearTimeout(responseTimer);
  clearTimeout(answerTimer);
  const id = logsRequests ? randomUUID() : undefined;
  if (id !== undefined) {
    for (const name of ["x-request-id", "x-tool-mode", "x-formats", "x-attempts"]) response.setHeader(name, id);
    response.once("close", () => log.info({ id, model, status: 200, ms: performance.now() - startedAt }, "request"));
  }
  response.setHeader("content-type", "application/json");
  response.end(parsesJson ? JSON.stringify({ ...JSON.parse(answerBody.toString()), model, id }) : answerBody);
}

/** Returns a controller that aborts if the client disconnects before the end of its answer. */
function abortOnDisconnect(response: ServerResponse): AbortController {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort(new Error("The client has disconnected."));
  });
  return controller;
}

const app = express().disable("x-powered-by").disable("etag");
app.post(PATH, proxyRequest);
createServer({ keepAliveTimeout: 60_000 }, usesExpress ? app : proxyRequest).listen({
  port: Number(port),
  host: "127.0.0.1",
});
