// POST /v1/parse: what the parser makes of a text; the answer of `postel parse --jsonl`. Knows no upstream.
import type { RequestHandler } from "express";
import type { AppServices } from "../AppServices.ts";
import { exchangeOf } from "../Exchange.ts";
import { ModelTextParser } from "../ModelTextParser.ts";
import { readParse } from "../postelHeaders.ts";

export function parse(services: AppServices): RequestHandler {
  const parser = new ModelTextParser(services);
  return async (request, response) => {
    const parse = readParse((name) => request.get(name));
    const answer = await parser.answer(request.body, { parse, signal: exchangeOf(response).signal });
    await exchangeOf(response).paced.json(answer);
  };
}
