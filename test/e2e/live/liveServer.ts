// A real model server on this machine: fetched into a cache outside the tree, started on a free port, stopped.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface LiveModel {
  /** The name that the gateway's rows know it by. */
  readonly name: string;
  /** For people, with the quantization. */
  readonly title: string;
  /** The word by which `fetch.sh` knows it, and its file. */
  readonly part: string;
  readonly file: string;
}

export const MODELS: readonly LiveModel[] = [
  {
    name: "qwen2.5-coder-0.5b-instruct",
    title: "Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
    part: "05b",
    file: "qwen05b.gguf",
  },
  {
    name: "qwen2.5-coder-1.5b-instruct",
    title: "Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    part: "15b",
    file: "qwen15b.gguf",
  },
  { name: "smollm2-135m-instruct", title: "SmolLM2-135M-Instruct Q4_1", part: "135m", file: "smollm2.gguf" },
];

export interface LiveServer {
  readonly baseUrl: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Where the server and the models lie; `POSTEL_LIVE_CACHE` names another folder. */
const CACHE = process.env.POSTEL_LIVE_CACHE ?? join(homedir(), ".cache/postel-live");

/** Downloads what is missing and checks every hash. Rejects where a hash differs. */
export async function fetchModels(models: readonly LiveModel[]): Promise<void> {
  const script = join(import.meta.dirname, "fetch.sh");
  await run("bash", [script, CACHE, ...models.map(({ part }) => part)]);
}

/** Resolves once the model is loaded: until then the server answers 503. It ends with this process, however that ends. */
export async function startServer(model: LiveModel): Promise<LiveServer> {
  const program = join(CACHE, "llama-server");
  const { stderr, stdout } = await run(program, ["--version"]);
  const version = /version: (.*)/.exec(stdout + stderr)?.[1]?.trim() ?? "unknown";
  const port = await freePort();
  const address = ["--host", "127.0.0.1", "--port", String(port), "--alias", model.name];
  const size = ["-t", "2", "-c", "8192", "-np", "1", "--jinja"];
  const server = spawn(program, ["-m", join(CACHE, model.file), ...address, ...size], { stdio: "ignore" });
  const exited = once(server, "exit");
  const kill = () => server.kill("SIGKILL");
  process.once("exit", kill);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  await loaded(baseUrl, exited);
  return {
    baseUrl,
    version,
    stop: async () => {
      process.off("exit", kill);
      kill();
      await exited;
    },
  };
}

async function loaded(baseUrl: string, exited: Promise<unknown>): Promise<void> {
  let gone = false;
  exited.then(() => {
    gone = true;
  });
  while (true) {
    if (gone) throw new Error("The model server ended while it started; run it by hand to see why.");
    const answer = await fetch(baseUrl.replace(/v1$/, "health")).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
