// A model client that asks with what its upstream's configuration says where a request says nothing. Knows no wire.
import type { RequestDefaults } from "../core/configuration.ts";
import { mergeSampling } from "../core/mergeSampling.ts";
import type { ModelClient } from "./ModelClient.ts";

export function withDefaults(client: ModelClient, defaults: RequestDefaults | undefined): ModelClient {
  if (!defaults) return client;
  return {
    stream: (request, signal, take) => {
      const sampling = mergeSampling(defaults.sampling, request.sampling);
      const passthrough = { ...defaults.passthrough, ...request.passthrough };
      return client.stream({ ...request, sampling, passthrough }, signal, take);
    },
  };
}
