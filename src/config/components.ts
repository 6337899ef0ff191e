// The `components:` section: what each is by its type. Refuses every other kind of component.
import { z } from "zod";
import type { ShellComponent } from "../core/components.ts";
import type { UpstreamConfig } from "../core/configuration.ts";
import type { McpComponent } from "../core/mcpComponent.ts";
import type { OpenApiComponent } from "../core/openApiComponent.ts";
import type { VectorStoreComponent } from "../core/vectorStoreComponent.ts";
import type { WebScraperComponent } from "../core/webScraperComponent.ts";
import { agentComponentSchema, type WrittenAgent } from "./agents.ts";
import { httpClientSchema } from "./httpClients.ts";
import type { KnownNames } from "./KnownNames.ts";
import { mcpSchema } from "./mcpComponents.ts";
import { modelComponentSchema } from "./modelComponents.ts";
import type { HttpService } from "./modelServices.ts";
import { openApiSchema } from "./openApiComponents.ts";
import type { Machine } from "./programs.ts";
import { shellSchema } from "./shellComponents.ts";
import { vectorStoreSchema } from "./vectorStoreComponents.ts";
import { webScraperSchema } from "./webScrapers.ts";
import { type WrittenWorkflow, workflowComponentSchema } from "./workflows.ts";

export type Component =
  | { readonly type: "http-client"; readonly service: HttpService }
  | { readonly type: "model"; readonly upstream: UpstreamConfig }
  | { readonly type: "shell"; readonly shell: ShellComponent }
  | { readonly type: "mcp"; readonly server: McpComponent }
  | { readonly type: "openapi"; readonly openApi: OpenApiComponent }
  | { readonly type: "web-scraper"; readonly scraper: WebScraperComponent }
  | { readonly type: "vector-store"; readonly store: VectorStoreComponent }
  | { readonly type: "agent"; readonly agent: WrittenAgent }
  | { readonly type: "workflow"; readonly workflow: WrittenWorkflow };

/** One component; any other type is refused with those that are supported. */
export function componentSchema(
  known: Pick<KnownNames, "upstreamWires" | "addressFault" | "commandFaults" | "saysPublic">,
  machine: Machine,
) {
  const kinds = [
    httpClientSchema(known),
    shellSchema(known, machine),
    mcpSchema(machine),
    openApiSchema(known, machine),
    webScraperSchema(),
    vectorStoreSchema(),
    modelComponentSchema(known),
    agentComponentSchema(),
    workflowComponentSchema(),
  ] as const;
  return z.discriminatedUnion("type", kinds, {
    error:
      "expected a `type:` of http-client, shell, mcp, openapi, web-scraper, vector-store, model, agent or workflow, the supported ones",
  });
}
