// An `http-client` component of the configuration as tools, one for each action. Goes out through the injected Egress only.
import { type HttpClientComponent, templatesOf } from "../core/components.ts";
import { parametersOf } from "../core/parametersOf.ts";
import { httpRequest } from "./httpRequest.ts";
import { type ServiceOptions, serviceTool } from "./serviceTool.ts";
import type { Tool } from "./Tool.ts";

export function httpClientTools(component: HttpClientComponent, options: ServiceOptions): readonly Tool[] {
  const { headersMs } = options;
  return component.actions.map((action) => {
    const call = {
      description: action.description ?? component.description,
      parameters: parametersOf(templatesOf(component, action), action.params),
    };
    return serviceTool(
      action,
      {
        ...call,
        requestOf: (args, context, credentials) =>
          httpRequest({ component, action, args, context, credentials, headersMs }),
      },
      options,
    );
  });
}
