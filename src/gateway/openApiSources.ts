// Creates the tool sources of OpenAPI components, and validates their documents. Loaded only if there are any, because validation needs a large package.
import { basename } from "node:path";
import { sanitizeText } from "../agents/prompting/sanitizeText.ts";
import { readDocument } from "../config/openApi/readDocument.ts";
import type { OpenApiComponent } from "../core/config/openApiComponent.ts";
import { createFailure, PostelError } from "../core/failures.ts";
import type { ServiceOptions } from "../tools/http/serviceTool.ts";
import { openApiTools } from "../tools/openApi/openApiTools.ts";
import { validateDocument } from "../tools/openApi/validateDocument.ts";
import { createFixedSource, type ToolSource } from "../tools/ToolSource.ts";

/** @throws PostelError `invalid_configuration` for documents that are not valid OpenAPI, with each error and its position. */
export async function openApiSources(
  components: readonly OpenApiComponent[],
  options: ServiceOptions,
): Promise<readonly ToolSource[]> {
  const faults = (
    await Promise.all([...new Set(components.map(({ document }) => document))].map(findDocumentFaults))
  ).flat();
  if (faults.length > 0) {
    const message = `The configuration is refused:\n${faults.join("\n")}`;
    throw new PostelError(createFailure("invalid_configuration", message, { faults }));
  }
  const hasXmlBody = components.some(({ actions }) => actions.some(({ content }) => content?.type === "xml"));
  const writeXml = hasXmlBody ? (await import("../tools/openApi/writeXml.ts")).writeXml : undefined;
  return components.map((component) =>
    createFixedSource(openApiTools(component, { ...options, neutralise: sanitizeText, writeXml })),
  );
}

async function findDocumentFaults(document: string): Promise<readonly string[]> {
  const read = readDocument("", document);
  const faults = read.type === "read" ? await validateDocument(read.value) : [`: ${read.reason}`];
  return faults.map((fault) => `${basename(document)}${fault}`);
}
