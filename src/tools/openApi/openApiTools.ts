// An `openapi` component of the configuration as tools, one for each operation. Goes out through the injected Egress only.
import type { OpenApiComponent } from "../../core/config/openApiComponent.ts";
import { createServiceTool, type ServiceOptions } from "../http/serviceTool.ts";
import { sanitizeSchema } from "../mcp/sanitizeSchema.ts";
import type { Tool } from "../Tool.ts";
import { buildOperationRequest } from "./buildOperationRequest.ts";
import type { WriteXml } from "./writeXml.ts";

export interface OpenApiOptions extends ServiceOptions {
  /** Takes out of a document's texts what a model that is asked in text could be misled by. */
  readonly neutralise: (text: string) => string;
  /** Writes XML bodies; absent where no operation has one. */
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
