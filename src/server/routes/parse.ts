// POST /v1/parse: parses a text like a model's answer, as `postel parse --jsonl` does.
import type { RequestHandler } from "express";
import type { AppServices } from "../AppServices.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import { ModelTextParser } from "../parse/ModelTextParser.ts";
import { readParse } from "../validation/postelHeaders.ts";

export function createParseRoute(services: AppServices): RequestHandler {
  const parser = new ModelTextParser(services);
  return async (request, response) => {
    const parse = readParse((name) => request.get(name));
    const answer = await parser.answer(request.body, { parse, signal: getRequestContext(response).signal });
    await getRequestContext(response).paced.json(answer);
  };
}
