// `postel chat` as a process, at a terminal or in a pipe, before a model whose answers the test writes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeUpstream, sendText, type UpstreamRequest } from "../FakeUpstream.ts";
import { startTerminal, type Terminal, type TerminalOptions } from "../tmux.ts";
import { COMPILED } from "./runPostel.ts";

type Answer = (request: UpstreamRequest, response: ServerResponse) => void;

/** Somebody at the terminal. */
interface Chat extends Terminal {
  /** Words and Enter; the first screen that shows this and, behind it, an empty prompt. */
  say(words: string, shown?: string): Promise<string>;
  /** The first screen that shows this, a source of a pattern. */
  sees(shown: string): Promise<string>;
}

export interface ChatWorld {
  readonly upstream: FakeUpstream;
  readonly folder: string;
  /** The words of a `postel chat` with the world's configuration and store. */
  args(...more: readonly string[]): readonly string[];
  /** At a terminal, with the model `m`. */
  open(more?: readonly string[], options?: Partial<TerminalOptions>): Promise<Chat>;
  /** These words behind `postel`, at a terminal. */
  enter(words: readonly string[], options?: Partial<TerminalOptions>): Promise<Chat>;
  /** What the model was sent each time, without instructions. */
  asked(): readonly (readonly string[])[];
  close(): Promise<void>;
}

/** Both lists are YAML. */
export async function startWorld(
  answer: Answer,
  agents = "[{ id: default, tools: [calculator] }]",
  components = "[]",
): Promise<ChatWorld> {
  const folder = mkdtempSync(join(tmpdir(), "postel-chat-"));
  const upstream = await FakeUpstream.start((request, response) =>
    request.path.endsWith("/models")
      ? response.end(JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] }))
      : answer(request, response),
  );
  const config = join(folder, "postel.yaml");
  writeFileSync(
    config,
    `upstreams: [{ id: up, base_url: "${upstream.baseUrl}" }]\nstore: { file: kept.db }\nagents: ${agents}\ncomponents: ${components}\n`,
  );
  const terminals: Terminal[] = [];
  const args = (...more: readonly string[]) => ["chat", "--config", config, ...more];
  const enter = async (words: readonly string[], options: Partial<TerminalOptions> = {}) => {
    const argv = [process.execPath, "src/main.ts", ...words];
    const terminal = await startTerminal({ argv, ...options, env: { NODE_COMPILE_CACHE: COMPILED, ...options.env } });
    terminals.push(terminal);
    return at(terminal);
  };
  return {
    upstream,
    folder,
    args,
    open: (more = [], options = {}) => enter(args("--model", "m", ...more), options),
    enter,
    asked() {
      const requests = upstream.requests.filter(({ path }) => path.endsWith("/completions"));
      const said = requests.map(({ body }) => body.messages.filter(({ role }) => role !== "system"));
      return said.map((messages) => messages.map(({ content }) => content));
    },
    async close() {
      await Promise.all(terminals.map((terminal) => terminal.close()));
      await upstream.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A prompt at the end of the screen. */
const PROMPT = "\\n(normal )?›$";

function at(terminal: Terminal): Chat {
  const sees = async (shown: string) => steady(await terminal.until(new RegExp(shown)));
  return {
    ...terminal,
    sees,
    async say(words, shown = "") {
      await sees(PROMPT);
      await terminal.type(words);
      await terminal.press("Enter");
      return await sees(`${words.slice(0, 20).replaceAll(/[^\w ]/g, ".")}[\\s\\S]*${shown}[\\s\\S]*${PROMPT}`);
    },
  };
}

/** What a model says that repeats what it was asked. */
export function echo({ body: { messages } }: UpstreamRequest, response: ServerResponse): void {
  sendText(response, `You said: ${messages.at(-1)?.content}`);
}

/** What begins an answer and does not go on with it. */
export function hang(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "I begin" } }] })}\n\n`);
}

/** The screen without what is another each time. */
export function steady(screen: string): string {
  return screen
    .replaceAll(/\d+ ms|\d\.\d s/g, "N ms")
    .replaceAll(/(?<=session )\w{9}\b/g, "SESSION")
    .replaceAll(/\/\S+postel.yaml/g, "CONFIG");
}
