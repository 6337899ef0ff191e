// The section `egress` of postel.yaml, and the hosts that other sections contain. The injected network rules decide what may
// be dialled.
import { z } from "zod";
import type { EgressConfig } from "../../core/config/configuration.ts";
import type { McpComponent } from "../../core/config/mcpComponent.ts";
import type { WebScraperComponent } from "../../core/config/webScraperComponent.ts";
import { listField, nonEmptyText } from "../fields.ts";
import type { ReferenceIssue } from "../load/ConfigIssue.ts";
import type { WrittenSections } from "../load/collectDeclared.ts";
import type { KnownNames } from "../load/KnownNames.ts";

export function createEgressSchema({ isAllowEntry }: Pick<KnownNames, "isAllowEntry">) {
  const error = "expected a host name, an address, or a network such as 10.0.0.0/8; no scheme, no port, no pattern";
  const entry = nonEmptyText("a host name, an address or a network").refine(isAllowEntry, { error });
  return z
    .strictObject({ allow: listField(entry, "hosts and networks").default([]) })
    .transform((egress): EgressConfig => egress);
}

interface HostSections extends Pick<WrittenSections, "upstreams" | "components"> {
  readonly webhooks: readonly { readonly url: string }[];
  readonly egress: EgressConfig;
}

/** Faults for literal addresses that must not be dialled; host names are checked when they are dialled. */
export function validateHosts(
  { upstreams, components, webhooks, egress }: HostSections,
  { hostFault }: Pick<KnownNames, "hostFault">,
): readonly ReferenceIssue[] {
  const urls = [
    ...upstreams.map((one, at) => ({ url: getUpstreamUrl(one), path: ["upstreams", at, "base_url"] })),
    ...components.map((one, at) => {
      if (one.type === "openapi")
        return { url: one.openApi.baseUrl || undefined, path: ["components", at, "base_url"] };
      if (one.type === "http-client") return { url: one.service.baseUrl, path: ["components", at, "base_url"] };
      if (one.type === "mcp") return { url: urlOfServer(one.server), path: ["components", at, "url"] };
      const isModel = one.type === "model";
      return {
        url: isModel ? getUpstreamUrl(one.upstream) : undefined,
        path: ["components", at, "runtime", "base_url"],
      };
    }),
    ...components.flatMap((one, at) => (one.type === "web-scraper" ? writtenHosts(one.scraper, at) : [])),
    ...webhooks.map(({ url }, at) => ({ url, path: ["webhooks", at, "url"] })),
  ];
  return urls.flatMap(({ url, path }) => {
    const message = url === undefined ? undefined : hostFault(url, egress.allow);
    return message === undefined ? [] : [{ path, message }];
  });
}

function urlOfServer({ connection }: McpComponent): string | undefined {
  return connection.type === "http" ? connection.url : undefined;
}

function getUpstreamUrl(upstream: WrittenSections["upstreams"][number]): string | undefined {
  return upstream.type === "server" ? upstream.baseUrl : undefined;
}

/** Hosts of a scraper that are single hosts, not patterns. */
function writtenHosts({ hosts = [] }: WebScraperComponent, at: number) {
  return hosts.flatMap(({ host }, index) =>
    host.startsWith("*") ? [] : [{ url: `http://${host}/`, path: ["components", at, "hosts", index] }],
  );
}
