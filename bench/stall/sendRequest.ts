// Sends one request on a connection of its own and reports how its answer ended.
import { request } from "node:http";

/** A POST request with a JSON body to 127.0.0.1. */
export interface StallRequest {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: Buffer;
  /** Time after which the client closes the connection. Milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How an answer ended. */
export interface AnswerEnd {
  /** HTTP status; 0 if no response arrived. */
  readonly status: number;
  /** True if an OpenAI client can read the answer: a JSON body, or events that end with `[DONE]` or with an error. */
  readonly isWellFormed: boolean;
  /** Set if the answer is incomplete: the connection broke, or the timeout expired. */
  readonly cut: "reset" | "timeout" | undefined;
  /** The error's `code` or the finish reason; empty if the answer has neither. */
  readonly reason: string;
  /** Characters of the body. */
  readonly length: number;
}

/** Characters that are kept of the end of an answer, which holds its last events. */
const TAIL_CHARS = 65_536;
/** Characters that are kept of its beginning, which holds the code of an error. */
const HEAD_CHARS = 256;

/** Sends the request. The result never rejects: a broken connection is a result too. */
export function sendRequest({ port, path, headers, body, timeoutMs, signal }: StallRequest): Promise<AnswerEnd> {
  return new Promise((resolve) => {
    let timedOut = false;
    let status = 0;
    let head = "";
    let tail = "";
    let length = 0;
    let contentType = "";
    const finish = (cut: AnswerEnd["cut"]) => {
      clearTimeout(timer);
      resolve({ status, cut, length, ...readEnd(contentType, head, tail) });
    };
    const finishCut = () => finish(timedOut ? "timeout" : "reset");
    const clientRequest = request(
      {
        ...{ host: "127.0.0.1", port, path, method: "POST", agent: false },
        headers: { "content-type": "application/json", "content-length": body.length, ...headers },
        ...(signal && { signal }),
      },
      (response) => {
        status = response.statusCode ?? 0;
        contentType = response.headers["content-type"] ?? "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => {
          length += piece.length;
          if (head.length < HEAD_CHARS) head += piece.slice(0, HEAD_CHARS);
          tail = piece.length >= TAIL_CHARS ? piece.slice(-TAIL_CHARS) : tail.slice(piece.length - TAIL_CHARS) + piece;
        });
        response.on("end", () => finish(undefined));
        response.on("error", finishCut);
      },
    );
    const timer = setTimeout(() => {
      timedOut = true;
      clientRequest.destroy();
    }, timeoutMs);
    clientRequest.on("error", finishCut);
    clientRequest.end(body);
  });
}

function readEnd(contentType: string, head: string, tail: string): Pick<AnswerEnd, "isWellFormed" | "reason"> {
  const errorCode = (/^\{"error":\{"code":"([a-z_]+)"/.exec(head) ??
    /"error":\s*\{.*?"code":\s*"([a-z_]+)"/s.exec(tail))?.[1];
  const finishReason = [...tail.matchAll(/"finish_reason":\s*"([a-z_]+)"/g)].at(-1)?.[1];
  const reason = errorCode ?? finishReason ?? "";
  const trimmed = tail.trimEnd();
  if (contentType.startsWith("text/event-stream"))
    return { isWellFormed: trimmed.endsWith("data: [DONE]") || errorCode !== undefined, reason };
  return { isWellFormed: contentType.startsWith("application/json") && trimmed.endsWith("}"), reason };
}
