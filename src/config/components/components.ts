// The `components:` section: selects the schema of each component by its type.
import { z } from "zod";
import type { ShellComponent } from "../../core/config/components.ts";
import type { UpstreamConfig } from "../../core/config/configuration.ts";
import type { McpComponent } from "../../core/config/mcpComponent.ts";
import type { OpenApiComponent } from "../../core/config/openApiComponent.ts";
import type { VectorStoreComponent } from "../../core/config/vectorStoreComponent.ts";
import type { WebScraperComponent } from "../../core/config/webScraperComponent.ts";
import { createAgentComponentSchema, type WrittenAgent } from "../agents/agents.ts";
import type { KnownNames } from "../load/KnownNames.ts";
import type { HttpService } from "../models/httpModel.ts";
import { createWorkflowComponentSchema, type WrittenWorkflow } from "../workflows/workflows.ts";
import { createHttpClientSchema } from "./httpClients.ts";
import { createMcpSchema } from "./mcpComponents.ts";
import { createModelComponentSchema } from "./modelComponents.ts";
import { createOpenApiSchema } from "./openApiComponents.ts";
import type { Machine } from "./programs.ts";
import { createShellSchema } from "./shellComponents.ts";
import { createVectorStoreSchema } from "./vectorStoreComponents.ts";
import { createWebScraperSchema } from "./webScrapers.ts";

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

/** Schema of a component; an unknown type is refused with the list of supported ones. */
export function createComponentSchema(
  known: Pick<KnownNames, "upstreamWires" | "addressFault" | "commandFaults" | "saysPublic">,
  machine: Machine,
) {
  const kinds = [
    createHttpClientSchema(known),
    createShellSchema(known, machine),
    createMcpSchema(machine),
    createOpenApiSchema(known, machine),
    createWebScraperSchema(),
    createVectorStoreSchema(),
    createModelComponentSchema(known),
    createAgentComponentSchema(),
    createWorkflowComponentSchema(),
  ] as const;
  return z.discriminatedUnion("type", kinds, {
    error:
      "expected a `type:` of http-client, shell, mcp, openapi, web-scraper, vector-store, model, agent or workflow, the supported ones",
  });
}
