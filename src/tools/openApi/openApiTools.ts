// An `openapi` component of the configuration as tools, one for each operation. Goes out through the injected Egress only.
import type { OpenApiComponent } from "../../core/openApiComponent.ts";
import { cleanedSchema } from "../cleanedSchema.ts";
import { type ServiceOptions, serviceTool } from "../serviceTool.ts";
import type { Tool } from "../Tool.ts";
import { operationRequest } from "./operationRequest.ts";

export interface OpenApiOptions extends ServiceOptions {
  /** Takes out of a document's texts what a model that is asked in text could be misled by. */
  readonly neutralise: (text: string) => string;
}

export function openApiTools(component: OpenApiComponent, options: OpenApiOptions): readonly Tool[] {
  const { headersMs, neutralise } = options;
  return component.actions.map((action) =>
    serviceTool(
      action,
      {
        description: neutralise(action.description ?? component.description),
        parameters: cleanedSchema(action.parameters, neutralise),
        noText: "parts",
        requestOf: (args, context, credentials) =>
          operationRequest({ component, action, args, context, credentials, headersMs }),
      },
      options,
    ),
  );
}
