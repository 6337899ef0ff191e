// The operations of a document as an agent's tools, from the call of a model to what a server reads: every place and every style of a parameter, bodies, answers.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Call, type Shop, startShop } from "../../support/openapi/openApiGateway.ts";
import { PICTURE } from "../../support/servers/samovarServer.ts";

const YAML = `
agents: [{ id: buyer, model: m, tools: [shop] }]
components:
  - id: shop
    type: openapi
    document: samovar.yaml
    base_url: "\${env.SHOP_URL}/api"
    approval: never
    security:
      shop_key: key-of-the-shop-4711
      staff_token: token-of-the-staff-4711
      staff_query: query-of-the-staff-4711
      staff_session: session-of-the-staff-4711
      staff_login: { username: vera, password: password-of-vera-4711 }
    overrides:
      createOrder: { idempotent: true }
      getTea: { redirects: 1, output: "\${response.asked}" }
`;

let testGateway: Shop;
beforeAll(async () => {
  testGateway = await startShop(YAML);
});
afterAll(() => testGateway.close());

/** What arrived for one call. */
async function arrivedFor(...call: Call) {
  const before = testGateway.shop.arrived.length;
  const [result = ""] = await testGateway.call(call);
  return { result, arrived: testGateway.shop.arrived.slice(before) };
}

describe("an argument arrives where and as its parameter says", () => {
  const rows: readonly (readonly [style: string, call: Call, line: string])[] = [
    ["in a path", ["shop.getTea", { tea_id: 7 }], "GET /api/teas/7"],
    ["a list in a path (simple)", ["shop.getTeas", { ids: [7, 8] }], "GET /api/teas/by-ids/7,8"],
    [
      "in a path with a dot before each (label)",
      ["shop.teasByColours", { colours: ["green", "black"] }],
      "GET /api/teas/colours.green.black",
    ],
    [
      "in a path as pairs behind semicolons (matrix)",
      ["shop.teasMade", { made: { degrees: 80, minutes: 3 } }],
      "GET /api/teas/made;degrees=80;minutes=3",
    ],
    [
      "a list in a query, each by itself (form)",
      ["shop.listTeas", { tag: ["new", "a&b=c"], limit: 5 }],
      "GET /api/teas?tag=new&tag=a%26b%3Dc&limit=5",
    ],
    [
      "a list in a query, together",
      ["shop.search", { q: "é", sizes: [50, 100] }],
      "GET /api/search?q=%C3%A9&sizes=50,100",
    ],
    [
      "parted by spaces",
      ["shop.search", { q: "x", origins: ["Uji", "Wuyi Shan"] }],
      "GET /api/search?q=x&origins=Uji%20Wuyi%20Shan",
    ],
    ["parted by pipes", ["shop.search", { q: "x", grades: ["A", "B"] }], "GET /api/search?q=x&grades=A%7CB"],
    [
      "an object by its keys (deepObject), as deep as it is",
      ["shop.search", { q: "x", filter: { colour: "green", price: { max: 9.5 } } }],
      "GET /api/search?q=x&filter%5Bcolour%5D=green&filter%5Bprice%5D%5Bmax%5D=9.5",
    ],
    [
      "an object whose keys are parameters (form)",
      ["shop.search", { q: "x", extra: { a: "1", b: "2" } }],
      "GET /api/search?q=x&a=1&b=2",
    ],
    [
      "under a name that no argument can have",
      ["shop.search", { q: "x", sort_by: "price" }],
      "GET /api/search?q=x&sort%5Bby%5D=price",
    ],
    ["as JSON", ["shop.search", { q: "x", near: { lat: 1 } }], "GET /api/search?q=x&near=%7B%22lat%22%3A1%7D"],
    [
      "with reserved characters, but for those that mean something (allowReserved)",
      ["shop.search", { q: "x", back: "/a?b=c&staff_key=d#e" }],
      "GET /api/search?q=x&back=/a?b%3Dc%26staff_key%3Dd%23e",
    ],
    ["by HEAD", ["shop.hasTea", { tea_id: 7 }], "HEAD /api/teas/7"],
  ];
  it.each(rows)("%s", async (_, call, line) => {
    const { arrived } = await arrivedFor(...call);
    expect(arrived.map((one) => one.line)).toEqual([line]);
  });

  it("in headers and in the cookie", async () => {
    const args = { q: "x", "X-Locale": "de", "X-Fields": ["name", "price"], currency: "a;b c", seen: [7, 8] };
    const { arrived } = await arrivedFor("shop.search", args);
    expect(arrived[0]?.headers).toMatchObject({
      "x-locale": "de",
      "x-fields": "name,price",
      cookie: "currency=a%3Bb%20c; seen=7,8",
    });
  });
});

describe("a body arrives as its media type says", () => {
  it("an object's properties as JSON, beside what stands in the path", async () => {
    const { arrived } = await arrivedFor("shop.updateTea", { tea_id: 7, name: "Lapsang", price: 4 });
    expect(arrived[0]).toMatchObject({
      line: "PATCH /api/teas/7",
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"name":"Lapsang","price":4}',
    });
  });

  it("what is no object as JSON of its own", async () => {
    const { arrived } = await arrivedFor("shop.createShipment", { order_id: 3, body: [{ tea_id: 7, count: 1 }] });
    expect(arrived[0]).toMatchObject({ line: "POST /api/orders/3/shipments", body: '[{"tea_id":7,"count":1}]' });
    const notes = await arrivedFor("shop.writeNotes", { body: { any: "key" } });
    expect(notes.arrived[0]?.body).toBe('{"any":"key"}');
  });

  it("parts of several schemas as one object", async () => {
    const { arrived } = await arrivedFor("shop.changeOrder", { order_id: 3, note: "n", reason: "r" });
    expect(arrived[0]?.body).toBe('{"note":"n","reason":"r"}');
  });

  it("as a form: a list by itself or together, an object as JSON", async () => {
    const args = {
      order_id: 3,
      method: "card",
      parts: [1, 2],
      marks: ["a", "b"],
      address: { street: "S 1", city: "C" },
    };
    const { arrived } = await arrivedFor("shop.payOrder", args);
    expect(arrived[0]).toMatchObject({
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "method=card&parts=1&parts=2&marks=a,b&address=%7B%22street%22%3A%22S%201%22%2C%22city%22%3A%22C%22%7D",
    });
  });

  it("as text", async () => {
    const { arrived, result } = await arrivedFor("shop.setNote", { tea_id: 7, body: "Best before noon." });
    expect(arrived[0]).toMatchObject({ headers: { "content-type": "text/plain" }, body: "Best before noon." });
    expect(result).toBe("Done (status 204, no content).");
  });

  it("with a key for what the service does once, where the operator says that it does", async () => {
    const { arrived } = await arrivedFor("shop.createOrder", { items: [{ tea_id: 7, count: 2 }] });
    expect(arrived[0]?.headers["idempotency-key"]).toMatch(/^\w+-call_\d+$/);
    expect((await arrivedFor("shop.createCart", {})).arrived[0]?.headers["idempotency-key"]).toBeUndefined();
  });
});

describe("what comes back", () => {
  it("is a word and, for a model that sees, a picture where it is no text", async () => {
    expect((await arrivedFor("shop.getLabel", { tea_id: 7 })).result).toBe("[image/png, 1 KB]");
    const [shown] =
      testGateway.model.requests
        .at(-1)
        ?.body.messages.filter(({ role }) => role === "user")
        .slice(-1) ?? [];
    expect(JSON.stringify(shown)).toContain(`data:image/png;base64,${PICTURE.toString("base64")}`);
  });

  it("is an error with the status and what to do about it, without the key that the service repeats", async () => {
    const { result } = await arrivedFor("shop.getTea", { tea_id: 404 });
    expect(result).toMatch(
      /^Error: the service answered with status 404: No tea here for \[redacted\]\.\nCheck the id/,
    );
  });

  it("is what the operator's template takes of it, after a redirect that the operator allows", async () => {
    const { result, arrived } = await arrivedFor("shop.getTea", { tea_id: 302 });
    expect(arrived.map(({ line }) => line)).toEqual(["GET /api/teas/302", "GET /api/teas/303"]);
    expect(result).toBe("GET /api/teas/303");
  });
});

describe("a value that would leave its place is refused before anything is sent", () => {
  const rows: readonly (readonly [why: string, call: Call, reason: RegExp])[] = [
    ["up the path", ["shop.getStock", { sku: ".." }], /must not hold `\.` or `\.\.`/],
    [
      "up the path behind an encoded slash",
      ["shop.getStock", { sku: "a/../../staff" }],
      /must not hold `\.` or `\.\.`/,
    ],
    ["no segment at all", ["shop.getStock", { sku: "" }], /sku must not be empty/],
    [
      "a header of its own",
      ["shop.search", { q: "x", "X-Locale": "de\r\nx-admin: 1" }],
      /header x-locale has line breaks/,
    ],
    ["another's parameter", ["shop.search", { q: "x", extra: { sizes: "1" } }], /must not have the key sizes/],
  ];
  it.each(rows)("%s", async (_, call, reason) => {
    const { result, arrived } = await arrivedFor(...call);
    expect(result).toMatch(reason);
    expect(arrived).toEqual([]);
  });

  it("and a slash stays one value", async () => {
    expect((await arrivedFor("shop.getStock", { sku: "a/b?c#d" })).arrived[0]?.line).toBe(
      "GET /api/stock/a%2Fb%3Fc%23d",
    );
  });
});

describe("what the operator gives for the service's security", () => {
  it("goes with each call as the operation's scheme says: header, query, cookie, bearer, basic, or nothing", async () => {
    await arrivedFor("shop.listOrders", {});
    expect(testGateway.shop.arrived.at(-1)?.headers["x-shop-key"]).toBe("key-of-the-shop-4711");
    await arrivedFor("shop.listStock", { limit: 1 });
    expect(testGateway.shop.arrived.at(-1)?.line).toBe("GET /api/stock?limit=1&staff_key=query-of-the-staff-4711");
    await arrivedFor("shop.listCustomers", {});
    expect(testGateway.shop.arrived.at(-1)?.headers.authorization).toBe("Bearer token-of-the-staff-4711");
    await arrivedFor("shop.whoAmI", {});
    const basic = Buffer.from("vera:password-of-vera-4711").toString("base64");
    expect(testGateway.shop.arrived.at(-1)?.headers.authorization).toBe(`Basic ${basic}`);
    await arrivedFor("shop.createCustomer", { email: "a@b.example" });
    expect(Object.keys(testGateway.shop.arrived.at(-1)?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:authorization|x-shop-key|cookie)$/)]),
    );
  });
});

describe("what a model is shown", () => {
  interface Shown {
    readonly name: string;
    readonly description: string;
    readonly parameters: { readonly properties: object };
  }
  const toolNamed = (name: string): Shown | undefined => {
    const { tools = [] } = testGateway.model.requests.at(-1)?.body ?? {};
    return (tools as unknown as readonly { readonly function: Shown }[]).find((one) => one.function.name === name)
      ?.function;
  };

  it("is one flat object of arguments, without what only answers have and without what the operator gives", async () => {
    await testGateway.ask([["shop.listTeas", {}]]);
    expect(testGateway.model.requests.at(-1)?.body.tools).toHaveLength(59);
    expect(toolNamed("shop.createTea")).toEqual({
      name: "shop.createTea",
      description: "Adds a tea.",
      parameters: {
        type: "object",
        properties: {
          name: { type: "string", description: "As it is on the label." },
          price: { type: "number", minimum: 0 },
          colour: { type: "string", enum: ["green", "black", "white", "oolong"] },
          origin: { type: ["string", "null"] },
          made: {
            type: "object",
            properties: { degrees: { type: "integer", maximum: 100 }, minutes: { type: "number" } },
          },
        },
        required: ["name", "price"],
        additionalProperties: false,
      },
    });
    const search = toolNamed("shop.search");
    expect(search?.description).toBe("Finds teas.\nEvery condition that is given holds.");
    expect(Object.keys(search?.parameters.properties ?? {})).toEqual([
      ...["q", "filter", "sizes", "origins", "grades", "sort_by", "near", "back", "extra"],
      ...["X-Locale", "X-Fields", "currency", "seen"],
    ]);
  });

  it("ends a schema that holds itself where it begins anew", async () => {
    await testGateway.ask([["shop.listTeas", {}]]);
    expect(toolNamed("shop.createCategory")?.parameters).toMatchObject({
      properties: { below: { items: { type: "object", description: "Another Category, as described around this." } } },
    });
  });
});
