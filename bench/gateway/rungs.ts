// The rungs of the ladder between the bare proxy and Postel: each is the one before it with one thing more that the task or a library of the gateway
// demands, and nothing of ours. Arguments: its port, the upstream's origin, its rung. Knows one route, and no fault.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import express from "express";
import OpenAI from "openai";
import { pino } from "pino";
import { Pool } from "undici";
import { RUNGS } from "./rungNames.ts";

const [port, origin = "", rung = ""] = process.argv.slice(2);
const height = RUNGS.indexOf(rung);
const [readsJson, asksSdk, isRouted, isNamed, isTimed] = RUNGS.slice(1).map((_, at) => height > at);

const PATH = "/v1/chat/completions";
/** Milliseconds, none of which pass here. */
const ANSWER_MS = 300_000;
const WORD_MS = 60_000;

const upstream = new Pool(origin, { connections: null, keepAliveTimeout: 60_000, bodyTimeout: 0, headersTimeout: 0 });
const head = asksSdk ? await headOfSdk() : { "content-type": "application/json", authorization: "Bearer key" };
const log = pino(pino.destination({ fd: 1, sync: true }));

/** Once for all requests, as Postel has it said. */
async function headOfSdk(): Promise<Record<string, string>> {
  const sdk = new OpenAI({ apiKey: "key", baseURL: `${origin}/v1` });
  const { req } = await sdk.buildRequest({ method: "post", path: "/chat/completions", body: {} });
  return Object.fromEntries(req.headers);
}

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const began = performance.now();
  const gone = isTimed ? leavingOf(response) : undefined;
  const overdue = () => gone?.abort(new Error("The answer takes too long."));
  const answerTimer = isTimed ? setTimeout(overdue, ANSWER_MS) : undefined;
  const asked = await whole(request);
  const { model, ...rest } = readsJson ? JSON.parse(asked.toString()) : {};
  const body = readsJson ? JSON.stringify({ model, ...rest, stream: false }) : asked;
  const wordTimer = isTimed ? setTimeout(overdue, WORD_MS) : undefined;
  const answer = await upstream.request({
    path: PATH,
    method: "POST",
    headers: head,
    body,
    signal: gone?.signal ?? null,
  });
  const said = await whole(answer.body);
  clearTimeout(wordTimer);
  clearTimeout(answerTimer);
  const id = isNamed ? randomUUID() : undefined;
  if (id !== undefined) {
    for (const name of ["x-request-id", "x-tool-mode", "x-formats", "x-attempts"]) response.setHeader(name, id);
    response.once("close", () => log.info({ id, model, status: 200, ms: performance.now() - began }, "request"));
  }
  response.setHeader("content-type", "application/json");
  response.end(readsJson ? JSON.stringify({ ...JSON.parse(said.toString()), model, id }) : said);
}

function leavingOf(response: ServerResponse): AbortController {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(new Error("The client has left."));
  });
  return gone;
}

function whole(stream: NodeJS.ReadableStream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
    stream.on("error", reject);
  });
}

const app = express().disable("x-powered-by").disable("etag");
app.post(PATH, pass);
createServer({ keepAliveTimeout: 60_000 }, isRouted ? app : pass).listen({ port: Number(port), host: "127.0.0.1" });
