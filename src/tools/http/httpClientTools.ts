// Creates the tools of an `http-client` component, one for each action. Sends requests through the injected Egress only.
import { collectTemplates, type HttpClientComponent } from "../../core/config/components.ts";
import { inferParameters } from "../../core/template/inferParameters.ts";
import type { Tool } from "../Tool.ts";
import { buildHttpRequest } from "./buildRequest.ts";
import { createServiceTool, type ServiceOptions } from "./serviceTool.ts";

export function createHttpClientTools(component: HttpClientComponent, options: ServiceOptions): readonly Tool[] {
  const { headersMs } = options;
  return component.actions.map((action) => {
    const call = {
      description: action.description ?? component.description,
      parameters: inferParameters(collectTemplates(component, action), action.params),
    };
    return createServiceTool(
      action,
      {
        ...call,
        requestOf: (args, context, credentials) =>
          buildHttpRequest({ component, action, args, context, credentials, headersMs }),
      },
      options,
    );
  });
}
