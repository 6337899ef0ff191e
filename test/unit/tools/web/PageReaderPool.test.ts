// The threads that read pages: who waits for one, who leaves, and what is left when the gateway ends.
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { ExtractRequest } from "../../../../src/tools/web/extract/WorkerMessages.ts";
import { PageReaderPool } from "../../../../src/tools/web/PageReaderPool.ts";
import { HOSTILE_PAGES } from "../../../support/hostilePages.ts";

const never = new AbortController().signal;

let readers: PageReaderPool;
beforeEach(() => {
  readers = new PageReaderPool();
});
afterEach(() => readers.close());

function order(page: Buffer | undefined, parseMs = 10_000): ExtractRequest {
  const bounds = { maxElements: 50_000, maxDepth: 256, parseMs };
  return {
    url: "https://site.example/",
    kind: "markup",
    contentType: "text/html",
    links: 0,
    bounds,
    bytes: new Uint8Array(page ?? []),
  };
}

const PLAIN = Buffer.from("<p>All is well.</p>");
const slow = () => order(HOSTILE_PAGES["as many elements as may be, as deep as may be"]?.(), 1_500);

function reasonOf(read: Promise<unknown>): Promise<unknown> {
  return read.then(
    () => "read",
    (error: Error) => error.message,
  );
}

it("calls that leave while they wait take nobody's turn", async () => {
  const busy = [reasonOf(readers.read(slow(), never)), reasonOf(readers.read(slow(), never))];
  const leaving = new AbortController();
  const gone = [1, 2].map(() => reasonOf(readers.read(order(PLAIN), leaving.signal)));
  const waiting = readers.read(order(PLAIN), never);
  leaving.abort();
  expect(await Promise.all(gone)).toEqual(Array(2).fill("the page was not read: its call has ended."));
  expect(await waiting).toMatchObject({ type: "read", page: { text: "All is well." } });
  for (const reason of await Promise.all(busy)) expect(reason).toContain("took longer than 1500 ms");
});

it("a call that ends while its page is read gives its thread up, and the next has another", async () => {
  const leaving = new AbortController();
  await readers.read(order(PLAIN), never);
  const early = reasonOf(readers.read(slow(), leaving.signal));
  leaving.abort();
  expect(await early).toContain("when its call ended");
  const timed = AbortSignal.timeout(100);
  expect(await reasonOf(readers.read(slow(), timed))).toContain("when its call ended");
  expect(await readers.read(order(PLAIN), never)).toMatchObject({ type: "read" });
});

it("nothing is read any more once they are closed", async () => {
  const read = reasonOf(readers.read(slow(), never));
  await readers.close();
  expect(await read).toMatch(/has ended|took longer/);
  expect(await reasonOf(readers.read(order(PLAIN), never))).toBe("the page was not read: its call has ended.");
});
