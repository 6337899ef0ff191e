// The services for parsing a model's text.
import type { Config } from "../core/config/configuration.ts";
import { ModelCapabilityDetector } from "../models/capabilities/ModelCapabilityDetector.ts";
import { ObservedCapabilityCache } from "../models/capabilities/ObservedCapabilityCache.ts";
import { systemClock, systemIds } from "../network/system.ts";
import { InMemoryCapabilityStore } from "../stores/InMemoryCapabilityStore.ts";
import type { GatewayServices } from "./GatewayServices.ts";

/** The services for parsing a model's text, without network and tools. */
export function createParserServices(config: Config): Pick<GatewayServices, "detector" | "ids" | "limits"> {
  return {
    detector: createDetector(
      config,
      new ObservedCapabilityCache(new InMemoryCapabilityStore(systemClock), systemClock),
    ),
    ids: systemIds,
    limits: config.limits,
  };
}

/** @param evidence what upstreams were observed to refuse */
export function createDetector(config: Config, evidence: ObservedCapabilityCache): ModelCapabilityDetector {
  return new ModelCapabilityDetector({ operator: config.operatorModels, shipped: config.models, evidence });
}
