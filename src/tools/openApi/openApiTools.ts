// Creates the tools of an `openapi` component, one for each operation. Sends requests through the injected Egress only.
import type { OpenApiComponent } from "../../core/config/openApiComponent.ts";
import { createServiceTool, type ServiceOptions } from "../http/serviceTool.ts";
import { sanitizeSchema } from "../mcp/sanitizeSchema.ts";
import type { Tool } from "../Tool.ts";
import { buildOperationRequest } from "./buildOperationRequest.ts";
import type { WriteXml } from "./writeXml.ts";

export interface OpenApiOptions extends ServiceOptions {
  /** Escapes texts of a document that could mislead a model in text mode. */
  readonly neutralise: (text: string) => string;
  /** Writes XML bodies; absent if no operation has one. */
  readonly writeXml?: WriteXml | undefined;
}

export function openApiTools(component: OpenApiComponent, options: OpenApiOptions): readonly Tool[] {
  const { headersMs, neutralise, writeXml } = options;
  return component.actions.map((action) =>
    createServiceTool(
      action,
      {
        description: neutralise(action.description ?? component.description),
        parameters: sanitizeSchema(action.parameters, neutralise),
        noText: "parts",
        xmlAnswer: action.xmlAnswer,
        requestOf: (args, context, credentials) =>
          buildOperationRequest({ component, action, args, context, credentials, headersMs, writeXml }),
      },
      options,
    ),
  );
}
