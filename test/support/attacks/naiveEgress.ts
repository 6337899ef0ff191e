// The egress that one writes first, to show that it fails: it looks at the text of a host, and asks a resolver twice. Never to be used.
import { request } from "node:http";

const BLOCKED = /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1|10\.|192\.168\.|169\.254\.)/;

/** Fetches what its text does not say to be private, and follows where it is sent. */
export async function naiveFetch(url: string): Promise<unknown> {
  const host = /^https?:\/\/([^/]*)/.exec(url)?.[1] ?? "";
  if (BLOCKED.test(host)) throw new Error("blocked");
  return await (await fetch(url, { headers: { "x-api-key": "key-of-the-service" } })).text();
}

/** Checks the address of a name, and then has the connection ask for it again. */
export async function naiveDial(name: string, port: number, resolve: (name: string) => string): Promise<void> {
  if (BLOCKED.test(resolve(name))) throw new Error("blocked");
  await new Promise<void>((done, failed) => {
    const sent = request({ host: name, port, lookup: (_, { all }, found) => answer(found, all, resolve(name)) });
    sent.on("response", (response) => response.resume().on("end", done)).on("error", failed);
    sent.end();
  });
}

type Found = (error: null, address: string | { address: string; family: number }[], family?: number) => void;

function answer(found: Found, all: boolean | undefined, address: string): void {
  if (all) found(null, [{ address, family: 4 }]);
  else found(null, address, 4);
}
