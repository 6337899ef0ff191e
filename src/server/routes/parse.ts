// POST /v1/parse: what the parser makes of a text; the answer of `postel parse --jsonl`. Knows no upstream.
import type { RequestHandler } from "express";
import type { AppServices } from "../AppServices.ts";
import { readHeader } from "../acceptChat.ts";
import { ModelTextParser } from "../ModelTextParser.ts";
import { pacedOf } from "../PacedResponse.ts";

export function parse(services: AppServices): RequestHandler {
  const parser = new ModelTextParser(services);
  return async (request, response) => {
    await pacedOf(response).json(parser.answer(request.body, readHeader(request, "x-postel-parse", ["off"])));
  };
}
