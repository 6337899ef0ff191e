// A gateway before the server of tools that keeps to nothing, and people who decide.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ChatCompletion } from "openai/resources";
import { type Place, type Served, until } from "./mcpGateway.ts";

const EVIL = fileURLToPath(new URL("../servers/maliciousMcp.ts", import.meta.url));
const SCHEMA = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };

export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly annotations?: object;
}

/** Has the server list these from now on. */
export function listTools(place: Place, ...tools: readonly (string | ListedTool)[]): void {
  const listed = tools.map((tool) => ({
    ...{ description: "Acts.", inputSchema: SCHEMA },
    ...(typeof tool === "string" ? { name: tool } : tool),
  }));
  place.tell("world", JSON.stringify({ tools: listed }));
}

/** Lines of a component `evil`. */
export function evil(place: Place, ...lines: readonly string[]): string {
  const command = [process.execPath, EVIL, join(place.folder, "world")];
  return ["  - id: evil", "type: mcp", `command: ${JSON.stringify(command)}`, ...lines].join("\n    ");
}

/** What the server has written down: its starts, and each message that it was sent. */
export function sentTo(place: Place): readonly Readonly<Record<string, unknown>>[] {
  const file = join(place.folder, "world.log");
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
}

/** Calls that the server was given. */
export function callsOf(place: Place): readonly unknown[] {
  return sentTo(place).flatMap(({ method, params }) => (method === "tools/call" ? [params] : []));
}

export interface Asked {
  readonly id: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a person is shown is looked into by the tests.
  readonly shown: any;
}

/** What a completion asks of a person. */
export function askedIn({ choices }: ChatCompletion): readonly Asked[] {
  return (choices[0]?.message.tool_calls ?? []).flatMap((call) =>
    call.type === "function"
      ? [{ id: call.id, name: call.function.name, shown: JSON.parse(call.function.arguments) }]
      : [],
  );
}

/** Says this of what was asked; what the run's client is answered. */
export async function decide({ gateway }: Served, { id, shown }: Asked, decision: object): Promise<ChatCompletion> {
  const content = JSON.stringify({ plan: shown.plan, ...decision });
  const messages = [{ role: "tool" as const, tool_call_id: id, content }];
  return await gateway.client("/v1/agent").chat.completions.create({ model: "hand", messages });
}

/** What the model read of its calls at last. */
export function readAtLast({ upstream }: Served): readonly string[] {
  const messages = upstream.requests.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

export interface EvilService {
  /** Lines of a component `evil`. */
  readonly component: string;
  close(): Promise<void>;
}

/** The same server over HTTP, as a process of its own. */
export async function startEvilService(place: Place): Promise<EvilService> {
  const child = spawn(process.execPath, [EVIL, join(place.folder, "world"), "--http"], { stdio: "inherit" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await until(() => sentTo(place).some(({ port }) => port !== undefined));
  const { port } = sentTo(place).find((line) => line.port !== undefined) ?? {};
  return {
    component: `  - id: evil\n    type: mcp\n    url: http://127.0.0.1:${port}/mcp`,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}
