// Request fields that would choose the host, the key or the headers of the server.

/**
 * Proxies and SDKs take these out of a body and act on them (LiteLLM's `ProviderConnection`, `RoutingOptions` and router options: api_base,
 * client_secret, ssl_verify, model_list, fallbacks …; Portkey's config and virtual_key; the OpenAI SDKs: extra_headers, extra_query,
 * extra_body, default_headers). Forwarded, they would let a caller send the operator's key to a host of
 * the caller's choice. Compared as lower-case letters and digits alone, so that no other spelling passes.
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
  ...["modellist", "modelinfo", "modelaliasmap", "userconfig", "routingstrategy", "allowedmodelregion", "regionname"],
  ...["fallbacks", "contextwindowfallbacks", "contextwindowfallbackdict", "contentpolicyfallbacks"],
  ...["mockresponse", "mocktimeout", "mocktoolcalls", "proxyserverrequest", "secretfields", "providerspecificheader"],
  ...["clientid", "clientsecret", "tenantid", "credentials", "virtualkey", "customhost", "requesttimeout", "sslverify"],
  ...["configurableclientsideauthparams", "usexaioauth", "allowedopenaiparams", "provideraffinityheader"],
]);
/** Names that select an account: `aws_access_key_id`, `vertex_credentials`, `azure_ad_token`, `openai_api_base` …; and LiteLLM's routers. */
const ACCOUNTS =
  /^(aws|azure|bedrock|s3|sagemaker|vertex|watsonx|litellm|openaiapi|(auto|complexity|adaptive|quality)router)./;

export function isRoutingField(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return FIELDS.has(plain) || ACCOUNTS.test(plain);
}
