// Components of the type `openapi` as sources of tools. Their documents are held against OpenAPI itself here: only what carries them out needs the package that can.
import { basename } from "node:path";
import { neutralised } from "./agents/neutralised.ts";
import { readDocument } from "./config/openApi/readDocument.ts";
import { failure, PostelError } from "./core/failures.ts";
import type { OpenApiComponent } from "./core/openApiComponent.ts";
import { documentFaults } from "./tools/openApi/documentFaults.ts";
import { openApiTools } from "./tools/openApi/openApiTools.ts";
import type { ServiceOptions } from "./tools/serviceTool.ts";
import { fixedTools, type ToolSource } from "./tools/ToolSource.ts";

/** @throws PostelError `invalid_configuration` for documents that are not OpenAPI, with what is wrong where. */
export async function openApiSources(
  components: readonly OpenApiComponent[],
  options: ServiceOptions,
): Promise<readonly ToolSource[]> {
  const faults = (await Promise.all([...new Set(components.map(({ document }) => document))].map(faultsOf))).flat();
  if (faults.length > 0) {
    const message = `The configuration is refused:\n${faults.join("\n")}`;
    throw new PostelError(failure("invalid_configuration", message, { faults }));
  }
  return components.map((component) => fixedTools(openApiTools(component, { ...options, neutralise: neutralised })));
}

async function faultsOf(document: string): Promise<readonly string[]> {
  const read = readDocument("", document);
  const faults = read.type === "read" ? await documentFaults(read.value) : [`: ${read.reason}`];
  return faults.map((fault) => `${basename(document)}${fault}`);
}
