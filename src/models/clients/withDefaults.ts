// A model client that adds the defaults of the upstream's configuration to each request.
import type { RequestDefaults } from "../../core/config/configuration.ts";
import { mergeSampling } from "../../core/models/mergeSampling.ts";
import { completeCall, type ModelClient, type ModelRequest } from "../ModelClient.ts";

export function withDefaults(client: ModelClient, defaults: RequestDefaults | undefined): ModelClient {
  if (!defaults) return client;
  const filled = (request: ModelRequest): ModelRequest => {
    const sampling = mergeSampling(defaults.sampling, request.sampling);
    const passthrough = { ...defaults.passthrough, ...request.passthrough };
    return { ...request, sampling, passthrough };
  };
  return {
    stream: (request, signal, take) => client.stream(filled(request), signal, take),
    complete: (request, signal) => completeCall(client, filled(request), signal),
  };
}
