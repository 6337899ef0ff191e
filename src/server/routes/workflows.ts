// POST /api/workflows/{id} and GET /api/workflows: runs and lists workflows.

import type { Request, RequestHandler, Response } from "express";
import { resolveWorkflow, type WorkflowConfig } from "../../core/config/workflows.ts";
import { createFailure, PostelError } from "../../core/failures.ts";
import { isObject, type JsonObject } from "../../core/messages.ts";
import type { ChatRequest } from "../../core/requests.ts";
import type { AppServices } from "../AppServices.ts";
import type { FrontApi } from "../apis/FrontApi.ts";
import { answerEvents } from "../http/answerEvents.ts";
import { getCaller } from "../http/authorize.ts";
import { getRequestContext } from "../http/RequestContext.ts";
import { WorkflowAnswer } from "../messages/WorkflowAnswer.ts";
import { refuseOtherQuery } from "../validation/pathParams.ts";

/** The body is the input, without `stream: true` if the workflow has no such input. */
export function runWorkflow(services: AppServices, wire: FrontApi): RequestHandler {
  return async (request, response) => {
    refuseOtherQuery(request, []);
    const workflow = resolveWorkflow(services.workflows, String(request.params.id));
    const { input, stream } = readInput(request, workflow);
    const chat = emptyChat(response, workflow, stream);
    const said = new WorkflowAnswer(chat.id);
    const ask = { chat, workflow: workflow.id, input, interactive: true };
    const signal = getRequestContext(response).signal;
    await answerEvents(
      response,
      (onEvents) =>
        services.runs.ask(ask, {
          ...{ signal, store: true },
          onPlanned: ({ messages }) => said.messages.begin(messages),
          onEvents: (events) => {
            said.add(events);
            return onEvents(events);
          },
        }),
      { wire, answer: said.encoder(response), stream },
    );
  };
}

/** The workflows, each with the JSON Schema of its input. */
export function listWorkflows({ workflows }: AppServices): RequestHandler {
  const data = workflows.map(({ id, description, parameters }) => ({
    id,
    object: "workflow",
    ...(description !== undefined && { description }),
    input: parameters,
  }));
  return async (_request, response) => {
    await getRequestContext(response).paced.json({ object: "list", data });
  };
}

interface Given {
  readonly input: JsonObject;
  readonly stream: boolean;
}

function readInput(request: Request, { parameters }: WorkflowConfig): Given {
  const body: unknown = request.body;
  if (!isObject(body))
    throw new PostelError(
      createFailure("invalid_request", "The body is refused: it must be an object, the workflow's input."),
    );
  const accepts = (request.get("accept") ?? "").includes("text/event-stream");
  if (Object.hasOwn(parameters.properties, "stream")) return { input: body, stream: accepts };
  const { stream = false, ...input } = body;
  if (typeof stream === "boolean") return { input, stream: stream || accepts };
  const message = "`stream` is refused: it must be true or false.";
  throw new PostelError(createFailure("invalid_request", message, { param: "stream" }));
}

/** The workflow itself chooses models and messages. */
function emptyChat(response: Response, { id }: WorkflowConfig, stream: boolean): ChatRequest {
  return {
    ...{ id: getRequestContext(response).run, caller: getCaller(response), model: id },
    ...{ messages: [], tools: [], toolChoice: { type: "auto" } },
    ...{ stream, sampling: {}, output: { type: "text" }, passthrough: {} },
  };
}
