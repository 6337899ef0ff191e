// One request of a caller on a connection of its own, and how it ended. Knows no attack.
import { request } from "node:http";

export interface Asking {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: Buffer;
  /** Milliseconds, after which the caller gives up. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Ending {
  /** HTTP status; 0 where none came. */
  readonly status: number;
  /** Whether the answer is what an OpenAI client can read: a body of JSON, or events whose last is `[DONE]` or an error. */
  readonly typed: boolean;
  /** The connection was cut before the answer's end, or the caller's patience was. */
  readonly cut: "reset" | "no end" | undefined;
  /** `code` of an error, or the finish reason. */
  readonly said: string;
  readonly bytes: number;
}

/** Characters of an answer's end that are kept: the last events are in it. */
const TAIL = 65_536;
/** And of its beginning, where the code of an error stands. */
const HEAD = 256;

export function ask({ port, path, headers, body, patienceMs, signal }: Asking): Promise<Ending> {
  return new Promise((resolve) => {
    let patience = true;
    let status = 0;
    let head = "";
    let tail = "";
    let bytes = 0;
    let type = "";
    const end = (cut: Ending["cut"]) => {
      clearTimeout(timer);
      resolve({ status, cut, bytes, ...read(type, head, tail) });
    };
    const asking = request(
      {
        ...{ host: "127.0.0.1", port, path, method: "POST", agent: false },
        headers: { "content-type": "application/json", "content-length": body.length, ...headers },
        ...(signal && { signal }),
      },
      (response) => {
        status = response.statusCode ?? 0;
        type = response.headers["content-type"] ?? "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => {
          bytes += piece.length;
          if (head.length < HEAD) head += piece.slice(0, HEAD);
          tail = piece.length >= TAIL ? piece.slice(-TAIL) : tail.slice(piece.length - TAIL) + piece;
        });
        response.on("end", () => end(undefined));
        response.on("error", () => end(patience ? "reset" : "no end"));
      },
    );
    const timer = setTimeout(() => {
      patience = false;
      asking.destroy();
    }, patienceMs);
    asking.on("error", () => end(patience ? "reset" : "no end"));
    asking.end(body);
  });
}

function read(type: string, head: string, tail: string): Pick<Ending, "typed" | "said"> {
  const code = (/^\{"error":\{"code":"([a-z_]+)"/.exec(head) ??
    /"error":\s*\{.*?"code":\s*"([a-z_]+)"/s.exec(tail))?.[1];
  const finish = [...tail.matchAll(/"finish_reason":\s*"([a-z_]+)"/g)].at(-1)?.[1];
  if (!type.startsWith("text/event-stream")) {
    return { typed: type.startsWith("application/json") && tail.trimEnd().endsWith("}"), said: code ?? finish ?? "" };
  }
  const ended = tail.trimEnd().endsWith("data: [DONE]");
  return { typed: ended || code !== undefined, said: code ?? finish ?? "" };
}
