// What of the web a page is fetched from, and what not: types, sizes, places, robots.txt. Each test is a site, and the gateway from a YAML file.
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { payload } from "../../support/adversarial/payloads.ts";
import { startDeclared } from "../../support/declared/startDeclared.ts";
import { type Site, type SitePage, startSite } from "../../support/servers/siteServer.ts";
import { startWeb, type WebGateway } from "../../support/web/webGateway.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

type Pages = Readonly<Record<string, SitePage | string>>;

async function site(pages: Pages): Promise<Site> {
  const started = await startSite(pages);
  open.push(started);
  return started;
}

async function web(sites: readonly Site[], keys: Readonly<Record<string, unknown>> = {}): Promise<WebGateway> {
  const started = await startWeb(sites, keys);
  open.push(started);
  return started;
}

/** The pages of the site that most tests share, with a gateway that has no keys of its own. */
let served: Record<string, SitePage | string> = {};
let shared: { readonly site: Site; readonly web: WebGateway };
beforeAll(async () => {
  const site = await startSite(new Proxy({}, { get: (_, path) => served[String(path)] }));
  shared = { site, web: await startWeb([site]) };
});
afterAll(async () => {
  await shared.web.close();
  await shared.site.close();
});

async function one(pages: Pages, keys?: Readonly<Record<string, unknown>>) {
  if (keys) {
    const own = await site(pages);
    return { site: own, web: await web([own], keys) };
  }
  served = pages;
  shared.site.asked.splice(0);
  shared.site.requests.splice(0);
  return shared;
}

const PAGE = "<html><head><title>A page</title></head><body><p>What it says.</p></body></html>";

function of(type: string, body: string | Buffer): SitePage {
  return (response) => response.writeHead(200, { "content-type": type }).end(body);
}

function to(location: string): SitePage {
  return (response) => response.writeHead(302, { location }).end();
}

describe("a page", () => {
  it("is read with its title and where it was in the end, and is a source of the answer", async () => {
    const { site, web } = await one({ "/a": to("/b?x=1#there"), "/b": PAGE });
    expect(await web.read(`${site.url}/a`)).toBe(`Title: A page\nURL: ${site.url}/b?x=1\n\nWhat it says.`);
    const reply = await web.post("/chat", {
      session_id: "s",
      question: JSON.stringify([`${site.url}/b`]),
      mode: "agent",
    });
    expect(reply.body.sources).toEqual([{ tool: "reader", title: "A page", url: `${site.url}/b` }]);
  });

  it("is asked for by name, without a cookie that its site has set", async () => {
    const { site, web } = await one({
      "/": (response) => response.writeHead(302, { location: "/b", "set-cookie": "a=b" }).end(),
      "/b": PAGE,
    });
    await web.read(`${site.url}/`);
    expect(site.asked).toEqual(["/robots.txt", "/", "/b"]);
    expect(site.requests.map(({ headers }) => headers["user-agent"])).toEqual(["Postel", "Postel", "Postel"]);
    expect(site.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ["text/plain", "a  < b\n\n# no heading"],
    ["text/markdown; charset=utf-8", "# Heading\n\n*x*"],
    ["application/json", '{"a": [1, 2]}'],
    ["application/problem+json", '{"type": "x"}'],
  ])("of the type %s is read as it is", async (type, text) => {
    const { site, web } = await one({ "/": of(type, text) });
    expect(await web.read(`${site.url}/`)).toBe(`URL: ${site.url}/\n\n${text}`);
  });

  it("that says no type is read as what it is", async () => {
    const { site, web } = await one({
      "/page": (response) => response.writeHead(200).end(PAGE),
      "/text": (response) => response.writeHead(200).end("1 < 2"),
      "/bytes": (response) => response.writeHead(200).end(Buffer.from([1, 0, 2])),
    });
    expect(await web.read(`${site.url}/page`)).toContain("\n\nWhat it says.");
    expect(await web.read(`${site.url}/text`)).toContain("\n\n1 < 2");
    expect(await web.read(`${site.url}/bytes`)).toBe("Error: What the site sent is no text.");
  });

  it("that is a PDF or a picture is refused by its type and size", async () => {
    const { site, web } = await one({
      "/pdf": of("application/pdf", Buffer.alloc(5_000)),
      "/png": of("image/png", Buffer.alloc(3_000_000)),
    });
    expect(await web.read(`${site.url}/pdf`)).toMatch(/^Error: This is no page but a PDF document \(5000 bytes\)/);
    expect(await web.read(`${site.url}/png`)).toMatch(/of the type "image\/png" \(more than 2097152 bytes\)/);
  });

  it("that is longer than may be read is left while it comes", async () => {
    let left: Promise<unknown> | undefined;
    const { site, web } = await one(
      {
        "/": (response) => {
          response.writeHead(200, { "content-type": "text/html" });
          left = new Promise((closed) => response.once("close", closed));
          const write = (): void => {
            while (!response.destroyed && response.write("<p>".repeat(10_000)));
          };
          response.on("drain", write);
          write();
        },
      },
      { max_bytes: 100_000 },
    );
    expect(await web.read(`${site.url}/`)).toBe(
      "Error: The page is longer than 100000 bytes, the most that is read of one.",
    );
    await left;
  });

  it("that comes in drops is left when its time is up", async () => {
    const { site, web } = await one(
      {
        "/": (response) => {
          response.writeHead(200, { "content-type": "text/html" });
          const drop = setInterval(() => response.write("<p>"), 20);
          response.once("close", () => clearInterval(drop));
        },
      },
      { timeout_ms: 300 },
    );
    expect(await web.read(`${site.url}/`)).toContain("the tool took longer than 300 ms");
  });

  it("that is small and swells is left at the same size as any", async () => {
    const { site, web } = await one({
      "/": (response) =>
        response
          .writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" })
          .end(gzipSync(Buffer.alloc(200_000_000, "<p>"))),
    });
    expect(await web.read(`${site.url}/`)).toContain("longer than 2097152 bytes");
  });

  it("in layers of compression is refused unread: PI-010", async () => {
    const encoding = /Content-Encoding: (.*)$/.exec(payload("PI-010"))?.[1] ?? "";
    const { site, web } = await one({
      "/": (response) => response.writeHead(200, { "content-encoding": encoding }).end("never read"),
    });
    const read = await web.read(`${site.url}/`);
    expect(read).toMatch(/^Error: /);
    expect(read).not.toContain("never read");
  });

  it("that is not there, or not for everybody, is said to be so", async () => {
    const { site, web } = await one({ "/403": (response) => response.writeHead(403).end() });
    expect(await web.read(`${site.url}/404`)).toContain("answered with status 404.\nCheck the id or the path");
    expect(await web.read(`${site.url}/403`)).toContain("answered with status 403.");
  });

  it("that only leads on says where, and is not followed", async () => {
    const { site, web } = await one({
      "/": `<html><head><meta http-equiv="Refresh" content="0; URL='/next'"></head><body></body></html>`,
      "/next": PAGE,
    });
    expect(await web.read(`${site.url}/`)).toContain(`This page sends its readers on to ${site.url}/next`);
    expect(site.asked).not.toContain("/next");
  });
});

describe("an address", () => {
  it.each([
    ["example.com/page", "`url` must be the whole address"],
    ["file:///etc/passwd", "`url` must be the whole address"],
    ["https://user:pass@example.com/", "holds a user or a password"],
    ["http://169.254.169.254/latest/meta-data", "169.254.169.254 is no public address"],
    ["http://127.0.0.1/", "127.0.0.1 is no public address"],
    ["http://2130706433/", "127.0.0.1 is no public address"],
    ["http://[::1]/", "[::1] is no public address"],
    ["http://localhost/", "localhost leads to an address that is not public"],
    ["http://example.com:8080/", "on the usual ports only"],
    [`https://example.com/?d=${"x".repeat(2_100)}`, "more than 2048 characters"],
  ])("that no scraper goes to by itself is refused: %s", async (url, why) => {
    const gateway = await web([], { hosts: undefined });
    const read = await gateway.read(url);
    expect(read).toMatch(/^Error: /);
    expect(read).toContain(why);
  });

  it("of another service of the configuration is none of the scraper's", async () => {
    const other = await site({ "/": PAGE });
    const gateway = await web([], { hosts: undefined });
    const upstream = new URL(gateway.upstream.baseUrl);
    for (const { port } of [other, upstream]) {
      const read = await gateway.read(`http://127.0.0.1:${port}/`);
      expect(read).toContain("on the usual ports only");
    }
    const wide = await web([], { hosts: [`*:${other.port}`, `*:${upstream.port}`] });
    for (const { port } of [other, upstream])
      expect(await wide.read(`http://127.0.0.1:${port}/`)).toContain("127.0.0.1 is no public address");
    expect(other.asked).toEqual([]);
  });

  it("is held to the hosts of the component, those that it excepts, and their ports", async () => {
    const { site, web } = await one(
      { "/": PAGE },
      { hosts: ["*.example.com", "docs.example.org"], except: ["a.example.com"] },
    );
    for (const host of [
      "example.com",
      "a.example.com",
      "example.org",
      "docs.example.org.evil.test",
      "docs.example.org:81",
    ])
      expect(await web.read(`http://${host}/`)).toMatch(/^Error: Pages of /);
    expect(site.asked).toEqual([]);
  });

  it("that a page sends on to is held to the same: SD-002", async () => {
    const canary = await site({ "/": PAGE });
    const [row = ""] = /\/\/\d+/.exec(payload("SD-002")) ?? [];
    const { site: first, web } = await one({
      "/number": to(`${row}:${canary.port}/`),
      "/file": to("file:///etc/passwd"),
      "/user": to(`http://a:b@127.0.0.1:${canary.port}/`),
    });
    for (const path of ["/number", "/file", "/user"]) expect(await web.read(first.url + path)).toMatch(/^Error: /);
    expect(canary.asked).toEqual([]);
  });

  it("that a page sends on to gets none of the first one's headers but the two of every page: SD-006", async () => {
    const second = await site({ "/": PAGE });
    const first = await site({ "/": to(`${second.url}/`) });
    const gateway = await web([first, second]);
    expect(await gateway.read(`${first.url}/`)).toContain("What it says.");
    const { headers } = second.requests.at(-1) ?? {};
    expect(Object.keys(headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });

  it("that leads in a circle is followed so often as the component says", async () => {
    const { site, web } = await one({ "/": to("/") }, { redirects: 3 });
    expect(await web.read(`${site.url}/`)).toContain("sent on more than 3 times");
    expect(site.asked.filter((path) => path === "/")).toHaveLength(4);
  });
});

describe("a scraper beside another", () => {
  it("may not go where only the other may", async () => {
    const inner = await site({ "/": PAGE });
    const components = [
      { id: "inner", type: "web-scraper", hosts: [`127.0.0.1:${inner.port}`] },
      { id: "outer", type: "web-scraper", hosts: [`*:${inner.port}`] },
    ];
    const yaml = `components: ${JSON.stringify(components)}\nagents: [{ id: default, tools: [inner, outer] }]`;
    const gateway = await startDeclared(yaml, ({ body }) =>
      body.messages.at(-1)?.role === "user"
        ? ["inner", "outer"].map((name) => ({ name, arguments: { url: `${inner.url}/` } }))
        : "Read.",
    );
    open.push(gateway);
    await gateway.post("/v1/agent", { model: "m", messages: [{ role: "user", content: "go" }] });
    const read = gateway.upstream.requests.at(-1)?.body.messages.filter(({ role }) => role === "tool");
    expect(read?.map(({ content }) => content)).toEqual([
      expect.stringContaining("What it says."),
      expect.stringContaining("127.0.0.1 is no public address"),
    ]);
  });
});

describe("robots.txt", () => {
  const robots = (text: string): SitePage => of("text/plain", text);

  it("says what is not read, to whoever it names", async () => {
    const { site, web } = await one({
      "/robots.txt": robots("User-agent: *\nDisallow: /\n\nUser-agent: postel\nDisallow: /private\n"),
      "/": PAGE,
      "/private/a": PAGE,
    });
    expect(await web.read(`${site.url}/`)).toContain("What it says.");
    expect(await web.read(`${site.url}/private/a`)).toContain(
      `The robots.txt of ${site.url} does not let this page be read.`,
    );
    expect(site.asked.filter((path) => path === "/private/a")).toEqual([]);
  });

  it("is asked once in a run for all pages of a site", async () => {
    const { site, web } = await one({ "/robots.txt": robots(""), "/": PAGE, "/b": PAGE });
    await web.readAll(`${site.url}/`, `${site.url}/b`);
    expect(site.asked.filter((path) => path === "/robots.txt")).toHaveLength(1);
    await web.read(`${site.url}/`);
    expect(site.asked.filter((path) => path === "/robots.txt")).toHaveLength(2);
  });

  it("counts for each page on a way", async () => {
    const second = await site({ "/robots.txt": robots("User-agent: *\nDisallow: /"), "/": PAGE });
    const first = await site({ "/": to(`${second.url}/`) });
    const gateway = await web([first, second]);
    expect(await gateway.read(`${first.url}/`)).toContain(`The robots.txt of ${second.url} does not let`);
    expect(second.asked).toEqual(["/robots.txt"]);
  });

  it("that cannot be had lets nothing be read", async () => {
    for (const [robots, why] of [
      [(response) => response.writeHead(503).end(), "it answers with status 503."],
      [(response) => void response.destroy(), "could not be reached"],
    ] satisfies [SitePage, string][]) {
      const { site, web } = await one({ "/robots.txt": robots, "/": PAGE });
      const read = await web.read(`${site.url}/`);
      expect(read).toContain("cannot be read, so none of its pages is:");
      expect(read).toContain(why);
      expect(site.asked).not.toContain("/");
    }
  });

  it("that is kept from everybody lets everything be read", async () => {
    const { site, web } = await one({ "/robots.txt": (response) => response.writeHead(403).end(), "/": PAGE });
    expect(await web.read(`${site.url}/`)).toContain("What it says.");
  });

  it("is followed to where it is", async () => {
    const { site, web } = await one({
      "/robots.txt": to("/elsewhere.txt"),
      "/elsewhere.txt": robots("User-agent: *\nDisallow: /"),
      "/": PAGE,
    });
    expect(await web.read(`${site.url}/`)).toContain("does not let this page be read");
  });

  it("is not asked where the operator says so", async () => {
    const { site, web } = await one(
      { "/robots.txt": robots("User-agent: *\nDisallow: /"), "/": PAGE },
      { robots: "ignore" },
    );
    expect(await web.read(`${site.url}/`)).toContain("What it says.");
    expect(site.asked).toEqual(["/"]);
  });
});
