// The chat wire at Azure's addresses: a deployment in the path or in `model`, a version in the query, and a key in a header of its own.
import { moveResultImages } from "../request/toolResultImages.ts";
import type { UpstreamWire, WireServer } from "./UpstreamWire.ts";

const CHAT = "/chat/completions";

/**
 * Two APIs, distinguished by the base URL. One that ends with `/v1` takes the deployment as the body's `model` and no version
 * (https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle); any other needs both in the address
 * (https://learn.microsoft.com/azure/ai-services/openai/reference). Results of the content filter in answers and chunks
 * (`prompt_filter_results`, a first chunk without choices) are provider fields, which the gateway forwards.
 */
export const azure: UpstreamWire = {
  id: "azure",
  name: "Azure OpenAI",
  headers: ({ apiKey }) => (apiKey ? { "api-key": apiKey } : {}),
  translation: {
    ask: (body, server) => {
      const model = server.deployment ?? String(body.model);
      return { path: buildPath(CHAT, model, server), body: { ...moveResultImages(body), model }, dropped: [] };
    },
  },
  passes: (path, model, server) => {
    const deployment = server.deployment ?? model;
    return { path: buildPath(path, deployment, server), model: deployment };
  },
  addressFault: ({ baseUrl, apiVersion }) => {
    if (new URL(baseUrl).pathname === "/")
      return { key: "base_url", message: "expected a URL up to and with /openai or /openai/v1" };
    if (baseUrl.endsWith("/v1") || apiVersion !== undefined) return undefined;
    const message = "expected a version such as 2024-10-21; only a `base_url` that ends with /v1 does without";
    return { key: "api_version", message };
  },
  // The list contains models that could be deployed, not the deployments. None of these names can be called.
  list: { path: "/models", entries: ({ data }) => (Array.isArray(data) ? [] : undefined) },
  getBaseUrl: (url) => parseDeployment(url)?.baseUrl,
  addressOf: (url) => {
    const { deployment, apiVersion } = parseDeployment(url) ?? {};
    return { ...(deployment !== undefined && { deployment }), ...(apiVersion !== undefined && { apiVersion }) };
  },
};

function buildPath(path: string, deployment: string, { baseUrl, apiVersion }: WireServer): string {
  const place = baseUrl.endsWith("/v1") ? path : `/deployments/${encodeURIComponent(deployment)}${path}`;
  return apiVersion === undefined ? place : `${place}?api-version=${encodeURIComponent(apiVersion)}`;
}

interface Place {
  readonly baseUrl: string;
  readonly deployment?: string | undefined;
  readonly apiVersion?: string | undefined;
}

const PLACE = /^(?<baseUrl>.+?)(?:\/deployments\/(?<deployment>[^/]+))?\/chat\/completions$/;

/** Returns undefined for an address without deployment and version, which is no other than the chat wire's own. */
function parseDeployment(url: string): Place | undefined {
  const parsed = URL.parse(url);
  const apiVersion = parsed?.searchParams.get("api-version") ?? undefined;
  const found = parsed && PLACE.exec(`${parsed.origin}${parsed.pathname}`)?.groups;
  const { baseUrl, deployment } = found ?? {};
  if (baseUrl === undefined || (deployment === undefined && apiVersion === undefined)) return undefined;
  return { baseUrl, deployment: deployment && decodeURIComponent(deployment), apiVersion };
}
