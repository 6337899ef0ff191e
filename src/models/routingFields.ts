// The fields by which a request would choose the host, the key or the headers of whoever serves it. Knows no request.

/**
 * Proxies and SDKs take these out of a body and act on them (LiteLLM: api_base, api_key, user_config, fallbacks …; the OpenAI SDKs:
 * extra_headers, extra_query, extra_body, default_headers): handed on, they would let a caller send the operator's key to a host of
 * his own. Small letters and digits alone, so that no other spelling gets by.
 */
const FIELDS: ReadonlySet<string> = new Set([
  ...[
    "apibase",
    "apibaseurl",
    "apiurl",
    "apihost",
    "baseurl",
    "basepath",
    "endpoint",
    "endpointurl",
    "host",
    "hostname",
  ],
  ...["apikey", "apikeys", "apitoken", "apitype", "apiversion", "accesstoken", "authorization", "bearertoken"],
  ...["headers", "extraheaders", "defaultheaders", "extrabody", "extraquery", "defaultquery"],
  ...["proxy", "proxies", "httpproxy", "httpsproxy", "organization", "deploymentid", "customllmprovider"],
  ...["modellist", "userconfig", "fallbacks", "contextwindowfallbacks", "contentpolicyfallbacks", "mockresponse"],
]);
/** Names that say whose account is meant: `aws_access_key_id`, `vertex_credentials`, `azure_ad_token`, `openai_api_base` … */
const ACCOUNTS = /^(aws|azure|vertex|watsonx|litellm|openaiapi)./;

export function isRoutingField(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return FIELDS.has(plain) || ACCOUNTS.test(plain);
}
