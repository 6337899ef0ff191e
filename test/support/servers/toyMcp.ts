// A well-meant server of tools as a process, over its standard streams, with the faults that happen to such: written against the wire, so that it can have any. `argv[2]` is a folder that it shares with its test.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly cursor?: string;
    readonly requestId?: number;
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

const [, , folder = "."] = process.argv;

/** What the test has written there; undefined where it has not. */
function told(name: string): string | undefined {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function log(line: string): void {
  appendFileSync(join(folder, "log"), `${line}\n`);
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

const text = (said: string) => ({ content: [{ type: "text", text: said }] });
const OBJECT = { type: "object", properties: { word: { type: "string" }, ms: { type: "integer" } } };
const USUAL = ["echo", "late", "work", "die", "fail", "data", "page one", "env"];

const TOOLS: Readonly<Record<string, (message: Message) => object | undefined>> = {
  echo: ({ params }) => text(`echo: ${params?.arguments?.word}`),
  late({ id, params }) {
    setTimeout(() => send({ id, result: text(`late: ${params?.arguments?.word}`) }), Number(params?.arguments?.ms));
    return undefined;
  },
  work({ id, params }) {
    const { progressToken } = params?._meta ?? {};
    let progress = 0;
    const timer = setInterval(() => {
      progress += 1;
      send({ method: "notifications/progress", params: { progressToken, progress } });
      if (progress * 50 < Number(params?.arguments?.ms)) return;
      clearInterval(timer);
      send({ id, result: text("worked") });
    }, 50);
    return undefined;
  },
  die() {
    log("died");
    console.error("out of cheese");
    process.exit(7);
  },
  fail: () => ({ ...text("there is no such port"), isError: true }),
  data: () => ({ ...text('{"tide": 4}'), structuredContent: { tide: 4 } }),
  "page one": () => text("spaced"),
  env: () => text(JSON.stringify(process.env)),
  stranger({ id }) {
    for (const other of [999_999, "none", String(id), null]) send({ id: other, result: text("meant for nobody") });
    send({ id, result: text("meant for you") });
    send({ id, result: text("meant for you, again") });
    return undefined;
  },
  strange: () => ({
    content: [{ type: "hologram" }, { type: "resource", resource: { uri: "a://b", text: "inside" } }],
  }),
};

/** One tool a page. */
function listed(cursor = "0"): object {
  const names = told("tools")?.split(",") ?? USUAL;
  const at = Number(cursor);
  const tools = names
    .slice(at, at + 1)
    .map((name) => ({ name, description: `The tool ${name}.`, inputSchema: OBJECT }));
  return { tools, ...(at + 1 < names.length && { nextCursor: String(at + 1) }) };
}

function answer(message: Message): object | undefined {
  switch (message.method) {
    case "initialize":
      if (told("mute") !== undefined) return undefined;
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "toy", version: "1" },
      };
    case "tools/list":
      log("listed");
      return listed(message.params?.cursor);
    case "tools/call":
      log(`called ${message.params?.name}`);
      return TOOLS[message.params?.name ?? ""]?.(message);
    case "notifications/cancelled":
      log(`cancelled ${message.params?.requestId}`);
      return undefined;
    default:
      return undefined;
  }
}

log(`started ${process.pid}`);
if (told("broken") !== undefined) {
  console.error("no configuration found");
  process.exit(3);
}
if (told("flood") !== undefined) {
  const piece = Buffer.alloc(1_048_576, "x");
  const pour = (left: number): void => {
    if (left > 0) process.stdout.write(piece, () => pour(left - 1));
  };
  pour(100);
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  const result = answer(message);
  if (message.id !== undefined && result !== undefined) send({ id: message.id, result });
});
process.on("SIGUSR2", () => send({ method: "notifications/tools/list_changed" }));
