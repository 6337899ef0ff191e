// The profile of a request's model, for a recording.
import { writeModelRow } from "../config/models/modelProfiles.ts";
import type { Config } from "../core/config/configuration.ts";
import { redactJson } from "../core/json/redactJson.ts";
import type { JsonObject } from "../core/messages.ts";
import type { ReceivedRequest } from "../core/ports.ts";
import type { GatewayServices } from "./GatewayServices.ts";

/** The operator's profile of a model as configured, with the context size that its server reported, for a recording. */
export function readRecordedProfile(
  model: string,
  { detector, directory, redact }: Pick<GatewayServices, "detector" | "directory" | "redact">,
): JsonObject | undefined {
  const own = detector.operatorRow(model);
  const contextTokens = directory.resolve(model)[0]?.window?.said();
  const said =
    contextTokens === undefined
      ? undefined
      : { match: [model.toLowerCase().replaceAll(/\s+/g, "*")], contextTokens, why: SERVER_SAID };
  const row = said ? { ...said, ...own } : own;
  // Redacting an object returns an object.
  return row && (redactJson(writeModelRow(row), redact) as JsonObject);
}

const SERVER_SAID = "the server's own word when this was recorded";

/** The model name that is sent upstream for a request, after agents, aliases and components are resolved. */
export function resolveRequestModel(
  { path, body }: ReceivedRequest,
  { agents }: Config,
  directory: GatewayServices["directory"],
): string {
  const sent = String(body.model ?? body.agent);
  const agent = path === "/v1/agent" ? agents.find(({ id }) => id === (body.agent ?? sent)) : undefined;
  const name = agents.some(({ id }) => id === sent) ? (agent?.model ?? sent) : sent;
  return directory.resolve(name)[0]?.model ?? name;
}
