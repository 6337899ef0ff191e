// POST /v1/embeddings, /v1/completions and /v1/rerank: returns the upstream's answer byte for byte. Reads only the model and
// refuses forbidden fields.
import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { answerTooLong, Deadline } from "../../agents/run/Deadline.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import type { JsonObject } from "../../core/messages.ts";
import type { AnswerTaker } from "../../models/clients/PassThroughClient.ts";
import type { PassedPath } from "../../models/wires/UpstreamWire.ts";
import type { AppServices } from "../AppServices.ts";
import { bodyShape } from "../apis/chatCompletions/readChatRequest.ts";
import type { ErrorFormat } from "../apis/FrontApi.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import type { ResponseWriter } from "../http/ResponseWriter.ts";
import { SSE_HEADERS } from "../http/SseStream.ts";
import { checkShape } from "../validation/checkShape.ts";
import { refuseManyFields, refuseRouting } from "../validation/forbiddenFields.ts";

const passedShape = z.looseObject({ model: bodyShape.shape.model });

/** The gateway consumes no field, so every field is sent upstream. */
const READ: ReadonlySet<string> = new Set();

export function createPassThroughRoute(path: PassedPath, wire: ErrorFormat): (services: AppServices) => RequestHandler {
  return (services) => async (request, response) => {
    const { clock, timeouts } = services;
    const body = readBody(request.body);
    const { model, upstream } = wayTo(services, { asked: body.model, path });
    const deadline = new Deadline(getRequestContext(response).signal);
    deadline.start(timeouts.answerMs, clock, answerTooLong(timeouts.answerMs));
    const answer = new PassedAnswer(response);
    try {
      await upstream.pass({ run: getRequestContext(response).run, path, model, body }, deadline.signal, answer);
      answer.end();
    } catch (error) {
      // The client is told here if a stream can still carry it; the failure is logged where all failures are.
      if (error instanceof PostelError) {
        const { failure: cause } = error;
        answer.fail(wire.failureBody({ ...cause, message: services.redact(cause.message) }));
      }
      throw error;
    } finally {
      deadline.end();
    }
  };
}

/** @throws PostelError, a caller failure that names the field. */
function readBody(raw: unknown): JsonObject & { readonly model: string } {
  refuseManyFields(raw);
  const body = checkShape(passedShape, raw);
  refuseRouting(body, READ);
  // It was parsed from JSON text.
  return body as JsonObject & { readonly model: string };
}

function wayTo({ directory }: AppServices, { asked, path }: { readonly asked: string; readonly path: PassedPath }) {
  const [route] = directory.resolve(asked);
  const param = { param: "model" };
  if (!route)
    throw new PostelError(createFailure("model_not_found", `No upstream serves the model \`${asked}\`.`, param));
  const { model, passThrough } = route;
  if (passThrough) return { model, upstream: passThrough };
  const message = `\`${asked}\` answers conversations only: its upstream \`${route.upstream}\` has no \`${path}\`. Ask another model.`;
  throw new PostelError(createFailure("unsupported_parameter", message, param));
}

const LINE_FEED = 0x0a;

class PassedAnswer implements AnswerTaker {
  readonly #response: Response;
  readonly #paced: ResponseWriter;
  #isStream = false;
  #lastByte = LINE_FEED;

  constructor(response: Response) {
    this.#response = response;
    this.#paced = getRequestContext(response).paced;
  }

  begin(contentType: string): void {
    this.#isStream = /^text\/event-stream/i.test(contentType);
    if (this.#isStream) this.#response.set(SSE_HEADERS);
    this.#response.setHeader("content-type", contentType);
  }

  write(bytes: Uint8Array): Promise<void> {
    this.#lastByte = bytes.at(-1) ?? this.#lastByte;
    return this.#paced.writeBytes(bytes);
  }

  end(): void {
    this.#paced.end();
  }

  /** Ends an open stream with the failure, unless it broke off in the middle of a line: then the text would not be an event. */
  fail(body: JsonObject): void {
    const { headersSent, destroyed } = this.#response;
    if (!headersSent || destroyed || !this.#isStream || this.#lastByte !== LINE_FEED) return;
    this.#paced.end(`data: ${JSON.stringify(body)}\n\n`);
  }
}
